import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { readFacts } from './read-facts.js';
import { FACTS, PROBES } from './facts.js';

const line = (value: object) => JSON.stringify(value);

describe('readFacts', () => {
  it('readFacts parses the output of a host into facts, grouped by probe', () => {
    const output = [
      line({ probe: 'unit', name: 'a.service', manager: 'systemd', state: 'failed' }),
      line({ probe: 'unit', done: true }),
    ];
    expect(readFacts(output.join('\n'))).toEqual([
      { probe: 'unit', facts: [{ probe: 'unit', name: 'a.service', values: { manager: 'systemd', state: 'failed', sub: '' } }], skipped: [], nonsense: 0, done: true, cut: false },
    ]); // prettier-ignore
  });

  it('readFacts marks a probe that could not run as skipped and not finished', () => {
    const output = [
      line({ probe: 'smart', skipped: 'smartctl is not installed' }),
      line({ probe: 'smart', done: true }),
    ];
    expect(readFacts(output.join('\n'))).toMatchObject([
      { probe: 'smart', skipped: ['smartctl is not installed'], done: false, cut: false },
    ]);
  });

  it('readFacts counts a line that is not a fact of its probe as nonsense', () => {
    const output = [line({ probe: 'disk', name: '/', kb: 'many' }), line({ probe: 'rocket', name: 'x' }), 'Last login: today', `{"probe":"unit","name":"${'x'.repeat(5_000)}"}`]; // prettier-ignore
    expect(readFacts(output.join('\n')).map(({ probe, nonsense, facts }) => [probe, nonsense, facts.length])).toEqual([
      ['disk', 1, 0],
      ['system', 3, 0],
    ]);
  });

  it('readFacts keeps the whole lines of output that was cut off, and says why probes did not finish', () => {
    const output = [
      line({ probe: 'unit', name: 'a.service', manager: 'systemd', state: 'failed' }),
      line({ probe: 'unit', done: true }),
      line({ probe: 'disk', name: '/', type: 'ext4', network: 0, answers: 1 }),
      '{"probe":"disk","na',
    ];
    const readings = new Map(readFacts(output.join('\n'), 'no answer within 10 s').map((each) => [each.probe, each]));
    expect(readings.get('unit')).toMatchObject({ facts: [{ name: 'a.service' }], skipped: [], cut: false });
    const reason = ['no answer within 10 s'];
    expect(readings.get('disk')).toMatchObject({ facts: [{ name: '/' }], skipped: reason, nonsense: 0, cut: true });
    expect(readings.get('package')).toMatchObject({ facts: [], skipped: reason, cut: true });
    expect([...readings.keys()].toSorted()).toEqual(PROBES.toSorted());
    expect(readings.get('system')?.nonsense).toBe(0);
  });

  it('readFacts uses the later of two facts with the same name', () => {
    const disk = (answers: number) => line({ probe: 'disk', name: '/mnt', type: 'nfs', network: 1, answers });
    expect(readFacts(`${disk(0)}\n${disk(1)}`)[0]?.facts).toMatchObject([{ values: { answers: 1 } }]);
  });

  it('readFacts never throws, and limits the number of facts', () => {
    const probe = fc.constantFrom(...PROBES);
    const value = fc.oneof(fc.jsonValue(), fc.string({ unit: 'binary' }));
    const likely = fc.tuple(probe, fc.dictionary(fc.constantFrom('name', 'skipped', 'done', '__proto__', ...Object.keys(FACTS.system.shape), ...Object.keys(FACTS.disk.shape)), value)).map(([name, rest]) => JSON.stringify({ ...rest, probe: name })); // prettier-ignore
    const any = fc.array(fc.oneof(likely, fc.string({ unit: 'binary' }), fc.json()), { maxLength: 40 });
    fc.assert(
      fc.property(any, (lines) => {
        for (const reading of readFacts(lines.join('\n'))) {
          expect(PROBES).toContain(reading.probe);
          for (const fact of reading.facts) expect(FACTS[fact.probe].safeParse(fact.values).success).toBe(true);
        }
      }),
      { numRuns: 500 },
    );
    const many = Array.from({ length: 20_000 }, (_, at) => line({ probe: 'package', name: `p${at}`, version: '1' }));
    expect(readFacts(many.join('\n'))[0]?.facts.length).toBe(5_000);
  });

  it('facts contain no invisible characters', () => {
    const [reading] = readFacts(line({ probe: 'unit', name: 'a\u001b[2J\u202e', manager: 'x', state: '\u0007failed' }));
    expect(JSON.stringify(reading)).not.toMatch(/\\u001b|\\u0007|\u202e/);
  });
});
