import { connectionStakes } from '@aish/safety';
import { describe, expect, it } from '@jest/globals';
import { readAnswer, wayBackFindings } from './way-back-words.js';

const said = (command: string, answer: string) =>
  wayBackFindings('nas', 'aish', connectionStakes(command), readAnswer(answer)).map(({ reason }) => reason);

describe('the way back on the card of a command', () => {
  it('the card of a command says what the host saves, and when the host restores it', () => {
    expect(said('ufw enable; systemctl restart ssh', 'can firewall\ncan sshd\nboot \nend \n')).toEqual([
      'way back: nas first saves its firewall rules and the settings of sshd, and restores that by itself 60 s after aish can no longer sign in, or when it starts again',
    ]);
    expect(said('ip link set eth0 down', 'can network\nend \n')).toEqual([
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
  ])('the card says that `%s` has no way back if the host answers %j', (command, answer, why) => {
    const [reason, ...more] = said(command, answer);
    expect(reason).toMatch(/^no way back: /);
    expect(reason).toContain(why);
    expect(more).toEqual([]);
  });

  it('the card mentions no way back for a script without root, or for a command that cannot cut its connection', () => {
    expect(said('./run.sh', 'root \nend \n')).toEqual([]);
    expect(said('touch /tank/x', 'can firewall\nend \n')).toEqual([]);
    expect(said('./run.sh', 'can firewall\ncannot sshd: x\nend \n')).toEqual([expect.stringMatching(/^way back: nas/)]);
  });
});
