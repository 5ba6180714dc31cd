import { grantableRule } from '@aish/contracts/decision-rules';
import { classify } from '@aish/safety';
import { describe, expect, it } from '@jest/globals';
import { onHosts, whyNotTogether } from './on-hosts.js';

const judged = (text: string, hosts: readonly string[] = ['nas']) => onHosts(text, hosts, classify(text));

describe('a command line that names hosts', () => {
  it.each(["ssh nas 'df -h'", 'ssh nas docker ps; ls', 'git clone ssh://nas/srv/x', 'rsync -a nas:/tank/x .'])(
    '%s runs on a host without a decision',
    (text) => {
      expect(judged(text).verdict).toBe('safe');
    },
  );

  it.each([
    "ssh nas 'touch /tank/x'",
    'ssh nas ./run.sh',
    'scp a nas:/tank/x',
    'scp nas:/tank/x a',
    'git push nas main',
  ])('%s waits for a person, with the host in the reason', (text) => {
    expect(judged(text)).toMatchObject({ verdict: 'unknown', reason: expect.stringMatching(/nas|host/) });
    expect(judged(text, []).verdict).toBe('safe');
  });

  it.each<[string, string | null]>([
    ['ssh nas /srv/tidy.sh', '/srv/tidy.sh'],
    ["ssh nas 'cd /opt && sh fmt.sh'", 'sh fmt.sh'],
    ["ssh nas 'make -C /srv all'", 'make'],
    ["ssh nas 'touch /tank/x'", null],
  ])('the reason for `%s` says which script on the host aish cannot see, if any', (text, script) => {
    const seen =
      script === null
        ? expect.not.stringContaining('cannot see')
        : expect.stringContaining(`aish cannot see what ${script}`);
    expect(judged(text).reason).toEqual(seen);
  });

  it('a variable for a command on a host is judged as a part of that command, not as local code', () => {
    const text = `ssh nas 'BORG_PASSCOMMAND="cat /root/p" borg list /srv/repo'`;
    expect(judged(text)).toMatchObject({ verdict: 'unknown', ruleId: 'hosts.change' });
    expect(whyNotTogether(text, ['nas'])).toBeNull();
    expect(whyNotTogether("LD_PRELOAD=./x.so ssh nas 'touch /tank/x'", ['nas'])).toContain('cannot be read');
  });

  it('a grant of a rule that was given for a container covers nothing on a host', () => {
    expect(grantableRule(judged('rm -rf build'))).toBe('files.remove');
    const { others, ...removal } = judged("ssh nas 'rm -rf /tank'");
    expect(removal).toMatchObject({ verdict: 'destructive', ruleId: 'files.remove' });
    expect(others).toMatchObject([{ reason: 'on nas it is not known to be read-only: rm -rf /tank' }]);
    expect(grantableRule(judged("ssh nas 'rm -rf /tank'"))).toBeNull();
  });
});
