import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { BOUNDARIES, INTAKE_BOUNDARIES } from '@aish/actions';
import { intakeKills, type IntakeResult } from '../../chaos/intake-kills.js';
import { killMatrix, nameOf, type KillResult } from '../../chaos/kill-matrix.js';
import { atKillPlace } from '../../chaos/kill-place.js';
import { KILL_POINTS, killTable } from '../../chaos/kill-plan.js';
import { verifies } from '../../requirements.js';
import { ROOT } from '../../support/service.process.js';

describe('kills of worker and api at each boundary', () => {
  let results: readonly KillResult[];
  let ofEvents: readonly IntakeResult[];

  beforeAll(async () => {
    await atKillPlace(async (place) => {
      results = await killMatrix(place, KILL_POINTS);
      ofEvents = await intakeKills(place);
    });
  }, 900_000);

  it(verifies('events.kill-matrix'), () => {
    expect(ofEvents.filter(({ faults }) => faults.length > 0)).toEqual([]);
    expect(ofEvents.length).toBe(INTAKE_BOUNDARIES.length + 5 + 13);
  });

  it(verifies('goal.kill-matrix'), () => {
    expect(results.map(({ point, asked, ran, ends, faults }) => [nameOf(point), { asked, ran, ends, faults }])).toEqual(
      KILL_POINTS.map((point) => {
        const { asked, ran, ends } = point;
        return [nameOf(point), { asked, ran, ends, faults: [] }];
      }),
    );
    // The promise is 10 s. On a busy machine there is only a limit against hangs.
    const slowest = Math.max(...results.flatMap(({ againMs }) => againMs));
    expect(slowest).toBeGreaterThan(0);
    expect(slowest).toBeLessThan(60_000);
  });

  it('the kill test kills at every boundary', () => {
    const killed = new Set(KILL_POINTS.flatMap(({ kills }) => kills.map(({ at }) => at)));
    expect([...killed].toSorted()).toEqual([...BOUNDARIES].toSorted());
  });

  it('docs/safety-proofs.md lists the actual outcomes of kills', () => {
    // To fix this, replace the table with the output of `npm run chaos -- kill-matrix --table`.
    expect(readFileSync(`${ROOT}docs/safety-proofs.md`, 'utf8')).toContain(killTable());
  });
});
