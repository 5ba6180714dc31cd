import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import type { Approval } from '@aish/contracts/approvals';
import { emptySpace, type Space } from '@aish/contracts/spaces';
import { findDecision, listDecisions, setApprovals } from '@aish/database/decisions.repository';
import { findGoal } from '@aish/database/goals.repository';
import { writeSpace } from '@aish/database/spaces.repository';
import { insertToken } from '@aish/database/tokens.repository';
import { carryOutOpened } from './opened.js';
import { halting, useWorkerWorld } from './testing/worker-world.js';

const ALWAYS = { days: ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'], from: '00:00', to: '00:00', timezone: 'UTC' };
const WINDOWS = [ALWAYS as Space['windows'][number]];
const PHONE = { name: 'phone', scopes: ['decide' as const], owner: 'ann' };
const BEFORE = '2026-01-01T00:00:00.000Z';

describe('an action approved for a change window', () => {
  const world = useWorkerWorld();

  const space = (more: Partial<Space>) =>
    writeSpace(world.db.statements, { ...emptySpace('general'), ...more, changedBy: 'admin' });
  const sweep = () => carryOutOpened(world.ports);
  /** A HALT that ann approved for a window that opened long ago. */
  async function waiting(more: Partial<Approval> = {}) {
    const goal = await world.goal({}, ...halting(randomUUID()));
    const [asked] = await listDecisions(world.db.statements, { goalId: goal.id, limit: 1 });
    const { id = '', version = '' } = asked ?? {};
    const approval = {
      by: 'ann',
      at: BEFORE,
      version,
      inWindow: true,
      carried: false,
      message: 'only the old ones',
      ...more,
    };
    await setApprovals(world.db.statements, id, [approval], BEFORE);
    return { goalId: goal.id, decision: () => findDecision(world.db.statements, id) };
  }

  it('an action approved for a window proceeds once when the window opens, in the name of its approver', async () => {
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
    expect(world.queued).toEqual([goalId]);
  });

  it('an action approved for a window keeps waiting if the windows of its space have changed', async () => {
    const tomorrow = new Date(Date.now() + 86_400_000).toLocaleDateString('en', { weekday: 'short', timeZone: 'UTC' });
    const days = [tomorrow.toLowerCase()] as Space['windows'][number]['days'];
    await space({ windows: [{ days, from: '12:00', to: '13:00', timezone: 'UTC' }] });
    const { decision } = await waiting();
    await sweep();
    const { state, approval } = (await decision()) ?? {};
    expect([state, approval?.given.length, approval?.waitsUntil]).toEqual(['pending', 1, approval?.opensAt]);
    expect(world.queued).toEqual([]);
  });

  it.each([
    ['the token of its approver was revoked', `update api_tokens set revoked_at = now() where name = 'phone'`],
    ['its approver may no longer decide', `update spaces set deciders = '{bob}' where name = 'general'`],
  ])('the decision is asked again if %s', async (_why, change) => {
    await space({ windows: WINDOWS });
    await insertToken(world.db.statements, { ...PHONE, id: randomUUID(), hash: randomUUID() });
    const { goalId, decision } = await waiting({ token: 'phone' });
    await world.db.pool.query(change);
    await sweep();
    const { state, approval } = (await decision()) ?? {};
    expect([state, approval?.given, approval?.waitsUntil]).toEqual(['pending', [], null]);
    expect(world.queued).not.toContain(goalId);
    await world.db.pool.query(`delete from api_tokens where name = 'phone'`);
  });

  it('aish asks again if the goal has changed, the change windows are gone, or more people are needed', async () => {
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
      expect(world.queued).not.toContain(goalId);
      expect(await decision()).toMatchObject({ state: 'pending', approval: { given: [], waitsUntil: null } });
    }
  });
});
