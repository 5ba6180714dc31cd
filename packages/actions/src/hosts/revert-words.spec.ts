import { connectionStakes } from '@aish/safety';
import { describe, expect, it } from '@jest/globals';
import { readAnswer, revertFindings } from './revert-words.js';

const reasonsFor = (command: string, answer: string) =>
  revertFindings('nas', 'aish', connectionStakes(command), readAnswer(answer)).map(({ reason }) => reason);

describe('the automatic revert on the card of a command', () => {
  it('the card of a command says what the host saves, and when the host restores it', () => {
    expect(reasonsFor('ufw enable; systemctl restart ssh', 'can firewall\ncan sshd\nboot \nend \n')).toEqual([
      'automatic revert: nas first saves its firewall rules and the settings of sshd, and restores them 60 s after aish can no longer sign in, or when it starts again',
    ]);
    expect(reasonsFor('ip link set eth0 down', 'can network\nend \n')).toEqual([
      expect.stringMatching(/its addresses and routes.*; not after a restart$/),
    ]);
  });

  it.each<[string, string, string]>([
    ['ufw enable', 'root \nend \n', 'aish is not root there and may not use sudo without a password'],
    ['ufw enable', '', 'it did not say what it can restore'],
    [
      'nft flush ruleset',
      'cannot firewall: nft cannot load its own rules again\nend \n',
      'nft cannot load its own rules',
    ],
    ['tc qdisc del dev eth0 root', 'end \n', 'nas cannot restore what tc changes'],
  ])('the card says that `%s` has no automatic revert if the host answers %j', (command, answer, why) => {
    const [reason, ...more] = reasonsFor(command, answer);
    expect(reason).toMatch(/^no automatic revert: /);
    expect(reason).toContain(why);
    expect(more).toEqual([]);
  });

  it('the card promises no automatic revert for a script without root, or a command that cannot cut its connection', () => {
    expect(reasonsFor('./run.sh', 'root \nend \n')).toEqual([]);
    expect(reasonsFor('touch /tank/x', 'can firewall\nend \n')).toEqual([]);
    expect(reasonsFor('./run.sh', 'can firewall\ncannot sshd: x\nend \n')).toEqual([
      expect.stringMatching(/^automatic revert: nas/),
    ]);
  });
});
