import { SetSpace, emptySpace, type Space } from '@aish/contracts/spaces';
import { describe, expect, it } from '@jest/globals';
import { SPACE_FIELDS, spaceChange } from './space.fields.js';

const space: Space = {
  ...emptySpace('media'),
  network: {
    mode: 'allow',
    rules: [
      { host: 'grafana.lan', ports: [80, 3000], private: true },
      { host: 'fd00::1', ports: [443], private: false },
    ],
  },
  hosts: ['nas', 'web'],
  mcpServers: [],
  users: ['ann'],
  limits: { memoryMb: 512, cpus: 0.5, gpus: true },
  windows: [{ days: ['sat'], from: '02:00', to: '05:00', timezone: 'UTC' }],
  approvals: [{ people: 2, findings: ['files.*'], notAuthor: true }],
  escalation: [{ afterMinutes: 30, channel: 'mail', to: 'bob@example.org' }],
  instructions: 'Be careful.',
};
const filled = (changed: Readonly<Record<string, string>> = {}, of = space) => {
  const fields = new Map(SPACE_FIELDS.map(({ name, shown }) => [name, shown(of).trim()]));
  return spaceChange(of, (name) => changed[name] ?? fields.get(name) ?? '');
};

describe('the form of a space', () => {
  it('the form of a space sends no unchanged field', () => {
    expect([filled(), filled({}, emptySpace('new'))]).toEqual([{}, {}]);
  });

  it('the form of a space converts every shown field back into the format of the API', () => {
    const read = SPACE_FIELDS.reduce((all, { shown, read: of }) => ({ ...all, ...of(shown(space), space) }), {});
    const { name: _name, changedBy: _by, changedAt: _at, ...reach } = space;
    expect(SetSpace.parse(read)).toEqual(reach);
  });

  it('the form of a space can change a single limit, and an emptied field clears its setting', () => {
    expect(filled({ memoryMb: '2048', cpus: '' })).toEqual({ limits: { memoryMb: 2048, gpus: true } });
    expect(filled({ network: '', users: 'everyone', mcpServers: 'all', windows: '', hosts: '' })).toEqual({
      network: { mode: 'none' },
      users: null,
      mcpServers: null,
      windows: [],
      hosts: [],
    });
  });

  it('the form of a space quotes an invalid line in its error', () => {
    expect(() => filled({ windows: 'sat 02:00-05:00\nsome day' })).toThrow('“some day” is not right');
    expect(() => filled({ approvals: 'two' })).toThrow('“two” is not right');
  });
});
