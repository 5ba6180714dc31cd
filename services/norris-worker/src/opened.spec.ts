import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { emptySpace, type Space } from '@aish/contracts/spaces';
import { findDecision, listDecisions, setApprovals } from '@aish/database/decisions.repository';
import { findGoal } from '@aish/database/goals.repository';
import { writeSpace } from '@aish/database/spaces.repository';
import { carryOutOpened } from './opened.js';
import { halting, useWorkerWorld } from './testing/worker-world.js';

const ALWAYS = { days: ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'], from: '00:00', to: '00:00', timezone: 'UTC' };
const WINDOWS = [ALWAYS as Space['windows'][number]];
const BEFORE = '2026-01-01T00:00:00.000Z';

describe('what was let through for a change window', () => {
  const world = useWorkerWorld();

  const space = (more: Partial<Space>) =>
    writeSpace(world.db.statements, { ...emptySpace('general'), ...more, changedBy: 'admin' });
  const sweep = () => carryOutOpened(world.ports);
  /** A HALT that ann let through for a window that opened long ago. */
  async function waiting() {
    const goal = await world.goal({}, ...halting(randomUUID()));
    const [asked] = await listDecisions(world.db.statements, { goalId: goal.id, limit: 1 });
    const { id = '', version = '' } = asked ?? {};
    const approval = { by: 'ann', at: BEFORE, version, inWindow: true, carried: false, message: 'only the old ones' };
    await setApprovals(world.db.statements, id, [approval], BEFORE);
    return { goalId: goal.id, decision: () => findDecision(world.db.statements, id) };
  }

  it('runs once when the window is open, with several sweeps, for the people who approved it', async () => {
    await space({ windows: WINDOWS });
    const { goalId, decision } = await waiting();
    await Promise.all([sweep(), sweep(), sweep()]);
    expect(await decision()).toMatchObject({
      state: 'decided',
      verdict: 'proceed',
      decidedBy: 'ann',
      message: 'only the old ones',
    });
    expect(await findGoal(world.db.statements, goalId)).toMatchObject({ state: 'queued' });
    expect(world.driven).toEqual([goalId]);
  });

  it('waits on where the space has other windows by now', async () => {
    const tomorrow = new Date(Date.now() + 86_400_000).toLocaleDateString('en', { weekday: 'short', timeZone: 'UTC' });
    const days = [tomorrow.toLowerCase()] as Space['windows'][number]['days'];
    await space({ windows: [{ days, from: '12:00', to: '13:00', timezone: 'UTC' }] });
    const { decision } = await waiting();
    await sweep();
    const { state, approval } = (await decision()) ?? {};
    expect([state, approval?.given.length, approval?.waitsUntil]).toEqual(['pending', 1, approval?.opensAt]);
    expect(world.driven).toEqual([]);
  });

  it('is asked again when the goal was changed, the windows are gone, or more people are needed', async () => {
    await space({ windows: WINDOWS });
    const edited = await waiting();
    await world.db.pool.query(`update goals set text = 'another' where id = $1`, [edited.goalId]);
    await sweep();
    await space({});
    const windowless = await waiting();
    await sweep();
    await space({
      windows: WINDOWS,
      approvals: [{ findings: ['destructive'], people: 2, notAuthor: false }],
    });
    const short = await waiting();
    await sweep();
    for (const { goalId, decision } of [edited, windowless, short]) {
      expect(world.driven).not.toContain(goalId);
      expect(await decision()).toMatchObject({ state: 'pending', approval: { given: [], waitsUntil: null } });
    }
  });
});
