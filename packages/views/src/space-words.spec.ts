import { emptySpace } from '@aish/contracts/spaces';
import { describe, expect, it } from '@jest/globals';
import { spaceWords } from './space-words.js';

describe('a space as words', () => {
  it('spaceWords writes a space as the options of aish space set', () => {
    expect(spaceWords(emptySpace('home'))).toBe(
      'home --network none --folder none --host none --secret none --image none --memory 0 --cpus 0 --gpus none ' +
        '--mcp all --preset none --steps 0 --tokens 0 --user everyone --decider everyone',
    );
    const rules = [
      { host: 'grafana.lan', ports: [80, 3000], private: true },
      { host: 'fd00::1', ports: [443], private: true },
    ];
    const space = { ...emptySpace('home'), hosts: ['nas', 'web'], users: ['ann'], deciders: [], limits: { cpus: 0.5 } };
    expect(spaceWords({ ...space, network: { mode: 'allow', rules } })).toMatch(
      /^home --network grafana\.lan:80,3000 --network \[fd00::1\]:443 --private --folder none --host nas --host web /,
    );
    expect(spaceWords(space)).toMatch(/--memory 0 --gpus none .* --user ann$/);
  });

  it('spaceWords omits --network if the option cannot express the rules of the space', () => {
    const [one, two] = [true, false].map((isPrivate) => ({ host: 'a.lan', ports: [443], private: isPrivate }));
    if (one === undefined || two === undefined) throw new Error('there are two');
    const mixed = { ...emptySpace('home'), network: { mode: 'allow' as const, rules: [one, two] } };
    expect(spaceWords(mixed)).not.toContain('--network');
  });
});
