import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { hasEnded, killCommands } from '@aish/actions';
import type { EventBody } from '@aish/contracts/events';
import { CreateGoal, isTerminal } from '@aish/contracts/goals';
import { invariant } from '@aish/contracts/invariant';
import type { Decision } from '@aish/contracts/decisions';
import { listDecisions } from '@aish/database/decisions.repository';
import type { GoalRow } from '@aish/database/generated/rows';
import { editGoal, findGoal, supersedeRunner } from '@aish/database/goals.repository';
import { listGrants, revokeGrant } from '@aish/database/grants.repository';
import { listActions } from '@aish/database/steps.repository';
import { inTransaction } from '@aish/database/transaction';
import type { Tx } from '@aish/database/tx';
import { createGoal } from '../../goal/create-goal.js';
import { GoalRunner } from '../../goal/goal-runner.js';
import { giveVerdict } from '../../goal/give-verdict.js';
import { loadGoal } from '../../goal/load.js';
import { withMachine } from '../../goal/with-machine.js';
import type { GoalEvent } from '../../machine/goal/events.js';
import type { GoalMachine } from '../../machine/goal/state.js';
import { ModelSlots } from '../../model-slots.js';
import { Actor, LosableLocks } from './actor.js';
import { SETTINGS, type Setting } from './setting.js';
import { givenTo, tried, type Act, type Situation, type Subject } from './subject.js';

const CHECKS_MAX = 3;

/** A simulated goal. */
export class GoalSubject implements Subject {
  /** The state after the newest move. */
  private had: GoalMachine | null = null;
  /** The actor that wrote last; null if a person did. */
  private writer: Actor | null = null;
  private continued = 0;

  private constructor(
    private readonly setting: Setting,
    private readonly goalId: string,
    readonly sessionId: string,
  ) {
    subscribe('aish.norris.advance', this.hear);
  }

  static async begin(setting: Setting): Promise<GoalSubject> {
    const { world, chance, name } = setting;
    const goal = CreateGoal.parse({
      text: `do it, ${name}`,
      trust: chance.pick('trust', ['ask', 'undoable']),
      stepBudget: chance.number('steps', 2, 7),
      ...(chance.is('checked', 0.2) ? { verify: 'test -e done' } : {}),
      ...(chance.is('expires', 0.3) ? { haltExpiry: { afterMs: 60_000, verdict: 'skip' } } : {}),
    });
    const created = await inTransaction(world.db, (tx) => createGoal(tx, { goal, createdBy: 'p' }));
    invariant(created !== null, 'a goal without a schedule is new');
    return new GoalSubject(setting, created.goal.id, created.goal.sessionId);
  }

  runner(name: string): Actor {
    const { world, ports, onError } = this.setting;
    const locks = new LosableLocks(world.ports.locks);
    return new Actor(name, locks, async (actor) => {
      const runner = new GoalRunner(
        {
          ...ports,
          locks,
          autoApproves: (label) => label === 'lab.read_sign',
          slots: new ModelSlots(1),
          memory: () => Promise.resolve(null),
          publish: () => undefined,
          onError,
          at: (boundary) => actor.at(boundary),
        },
        { ...SETTINGS, presets: [world.preset], waitMinMs: 0, waitMaxMs: 1, lockWaitMs: 0 },
      );
      await runner.run(this.goalId, new AbortController().signal);
    });
  }

  async situation(): Promise<Situation> {
    const goal = await findGoal(this.setting.world.db.statements, this.goalId);
    const state = goal?.state ?? 'failed';
    if (isTerminal(state)) return 'rests';
    return state === 'halted' ? 'asks' : state === 'paused' ? 'paused' : 'goes on';
  }

  readonly answer: Act = async () => {
    const { world, chance } = this.setting;
    const [asked] = await listDecisions(world.db.statements, { sessionId: this.sessionId, state: 'pending', limit: 9 });
    if (asked === undefined) return 'nothing is asked';
    const reply = await this.give(asked);
    // A second person has seen the same decision.
    return chance.is('two answers', 0.2) ? `${reply}; ${await this.give(asked)}` : reply;
  };

  readonly goOn: Act = () =>
    this.change('resume', async (tx) => {
      const pending = await listDecisions(tx, { sessionId: this.sessionId, state: 'pending', limit: 1 });
      return { type: 'resumed', isAsked: pending.length > 0 };
    });

  readonly acts: readonly [Act, ...Act[]] = [
    this.answer,
    this.answer,
    this.answer,
    () => this.change('pause', async () => ({ type: 'paused', by: 'p' })),
    this.goOn,
    () => this.edit(),
    () => this.cancel(),
    () => this.continue(),
    () => this.revoke(),
  ];

  async differs(actor: Actor | null): Promise<readonly string[]> {
    if (actor === null || actor.boundary === 'record.after') this.writer = actor;
    const { had } = this;
    this.had = null;
    // This runner has not yet processed its own write, or others have written since.
    if (had === null || actor === null || actor.boundary === 'record.after' || this.writer !== actor) return [];
    const machine = await this.load();
    const [mine, rows] = [comparable(had), comparable(machine)];
    return mine === rows ? [] : [`same after reload: a runner has\n${mine}\nits rows have\n${rows}`];
  }

  async beyond(): Promise<readonly string[]> {
    const { stepsTaken, stepBudget, checksFailed } = await this.load();
    const broken = [];
    if (stepsTaken > stepBudget) broken.push(`bounds: ${stepsTaken} of ${stepBudget} steps were taken`);
    if (checksFailed > CHECKS_MAX) broken.push(`bounds: ${checksFailed} checks failed`);
    return broken;
  }

  close(): void {
    unsubscribe('aish.norris.advance', this.hear);
  }

  private async load(): Promise<GoalMachine> {
    const { statements } = this.setting.world.db;
    const [row] = await statements.$queryRaw<GoalRow[]>`select * from goals where id = ${this.goalId}::uuid`;
    invariant(row !== undefined, 'it is there');
    return (await loadGoal(statements, row)).machine;
  }

  private readonly hear = (message: unknown): void => {
    const { goalId, decided } = message as { goalId: string; decided: { machine: GoalMachine } };
    if (goalId === this.goalId) this.had = decided.machine;
  };

  private give(asked: Decision): Promise<string> {
    const { world, chance } = this.setting;
    const given = givenTo(asked, true, chance);
    const what = `${given.by} says ${given.verdict}${given.granted === null ? '' : ` (${given.granted})`} to ${asked.kind} ${asked.action}`;
    return tried(
      what,
      () => inTransaction(world.db, (tx) => giveVerdict(tx, asked, given)),
      'decision_taken',
      'invalid_body',
    );
  }

  private async change(
    what: string,
    eventOf: (tx: Tx, machine: GoalMachine) => Promise<GoalEvent>,
    before: readonly EventBody[] = [],
  ): Promise<string> {
    const { machine } = await inTransaction(this.setting.world.db, (tx) =>
      withMachine(tx, this.goalId, async (_row, found) => ({ event: await eventOf(tx, found), before })),
    );
    return `${what}: ${machine.state}`;
  }

  private edit(): Promise<string> {
    const text = this.setting.chance.is('edit says', 0.5) ? `do it well, ${this.setting.name}` : null;
    return this.change('edit', async (tx) => {
      await editGoal(tx, this.goalId, text === null ? { trust: 'ask' } : { text });
      return { type: 'edited', text, by: 'p' };
    });
  }

  private async cancel(): Promise<string> {
    const { world, sandbox, chance } = this.setting;
    if (!chance.is('cancels', 0.3)) return 'nobody cancels';
    await supersedeRunner(world.db.statements, this.goalId);
    const actions = await listActions(world.db.statements, this.sessionId);
    const running = actions.filter(({ kind, state }) => kind === 'command' && state === 'started');
    const killed = await killCommands(
      sandbox,
      running.map(({ id }) => id),
    );
    return this.change('cancel', async () => ({ type: 'cancelled', by: 'p', ...killed }));
  }

  private async continue(): Promise<string> {
    if (this.continued >= 2) return 'nobody continues';
    this.continued += 1;
    const message = this.setting.chance.is('continue says', 0.5) ? 'now the rest' : null;
    return this.change('continue', async () => ({ type: 'continued', steps: 2, message, by: 'p' }));
  }

  private async revoke(): Promise<string> {
    const { statements } = this.setting.world.db;
    const [grant] = await listGrants(statements, this.goalId);
    if (grant === undefined) return 'nothing is granted';
    await revokeGrant(statements, this.goalId, grant.id, 'p');
    return `revoke ${grant.scope}`;
  }
}

/**
 * Returns the parts of the state that are compared. Times come from two clocks, and the cost of an answer is rounded
 * when it is written. No decision depends on why an ended action was held, or on the outcome of a command that is not a
 * check. The order of recent actions matters only among repeats of the same action.
 */
function comparable({ recent, step, activeMs: _ms, ...machine }: GoalMachine): string {
  const known: Record<string, string[]> = {};
  for (const { what, answer } of recent) (known[what] ??= []).push(answer);
  const actions = step?.actions.map(({ held, passed, pending, ...action }) => ({
    ...action,
    isCheck: isCheck(action),
    ...(hasEnded(action) ? {} : { held, pending }),
    ...(isCheck(action) ? { passed } : {}),
  }));
  return JSON.stringify(
    sorted({ ...machine, recent: known, step: step === null ? null : { ...step, actions } }),
    null,
    1,
  );
}

function isCheck(action: { readonly kind: string; readonly isCheck?: boolean | undefined }): boolean {
  return action.isCheck === true;
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).filter(([, each]) => each !== undefined);
  return Object.fromEntries(entries.toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([key, each]) => [key, sorted(each)]));
}
