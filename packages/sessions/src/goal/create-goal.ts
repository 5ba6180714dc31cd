import { randomUUID } from 'node:crypto';
import { posix } from 'node:path';
import { bindingAtStart, openInSpace } from '@aish/actions';
import { boundFiles } from '@aish/safety';
import type { Notice } from '@aish/contracts/events';
import { DEFAULT_PRESET, type CreateGoal, type Goal } from '@aish/contracts/goals';
import { DEFAULT_STEP_BUDGET } from '@aish/contracts/limits';
import type { HostFolderOffer } from '@aish/contracts/host-folders';
import type { OpenRunbook, OpenedRunbook, UsedRunbook } from '@aish/contracts/runbooks';
import { AishError } from '@aish/contracts/problems';
import type { TextAuthor } from '@aish/contracts/sessions';
import { DEFAULT_SPACE } from '@aish/contracts/space-name';
import { deviate, emptySpace } from '@aish/contracts/spaces';
import { backgroundTurn, proposeCheckTurn, runbookTurn } from '@aish/prompt';
import { appendEvents } from '@aish/database/events.repository';
import { insertFollowUp } from '@aish/database/follow-ups.repository';
import { hasScheduledGoal, insertGoal } from '@aish/database/goals.repository';
import { insertGrant } from '@aish/database/grants.repository';
import { findAcceptedRunbook } from '@aish/database/runbooks.repository';
import { setCarryOver } from '@aish/database/session-sandbox.repository';
import { findSpace } from '@aish/database/spaces.repository';
import { appendTurns } from '@aish/database/turns.repository';
import type { Tx } from '@aish/database/tx';
import { withMachine } from './with-machine.js';

export interface GoalToCreate {
  readonly goal: CreateGoal;
  readonly createdBy: string;
  /** Whose words its text is, where it is not the person's alone. */
  readonly author?: TextAuthor;
  /** What others say, told to the model after the goal. */
  readonly notices?: readonly string[];
  /** The session that it is given in. */
  readonly chatId?: string;
  /** Folders of the host that there are, to tell the model of those that it gets. */
  readonly folders?: readonly HostFolderOffer[];
  /** Its steps, where neither it nor its space says how many. */
  readonly maxSteps?: number;
  /** Finds the runbook that it names. Without: there are none. */
  readonly openRunbook?: OpenRunbook | undefined;
  /** The schedule that gives it, and what names this one of its goals. */
  readonly schedule?: { readonly id: string; readonly key: string | null };
  /** Of another attempt: the how manieth, from 2, and what its model is told of that. */
  readonly again?: { readonly attempt: number; readonly notice: string };
}

/**
 * Writes session, goal, first turns and first event, with the reach of its space as it is now.
 * @returns null: the schedule has given this goal already.
 * @throws AishError `not_found` without its runbook; those of `openRunbook`.
 */
export async function createGoal(
  tx: Tx,
  {
    goal: input,
    createdBy,
    author = { provenance: 'person' },
    schedule,
    chatId,
    notices = [],
    folders = [],
    openRunbook,
    again,
    maxSteps = DEFAULT_STEP_BUDGET,
  }: GoalToCreate,
): Promise<{ readonly goal: Goal; readonly notice: Notice } | null> {
  if (schedule !== undefined && schedule.key !== null && (await hasScheduledGoal(tx, schedule.key))) return null;
  const name = input.space ?? DEFAULT_SPACE;
  // An app's own may be one of which nothing was said, and one that was removed reaches nothing.
  const space = (await findSpace(tx, name)) ?? emptySpace(name);
  const reach = deviate(space, input);
  const runbook = input.runbook === undefined ? null : await opened(input.runbook, openRunbook);
  const goal = await insertGoal(tx, {
    ...input,
    ...reach,
    space: name,
    stepBudget: reach.stepBudget ?? maxSteps,
    preset: reach.preset ?? DEFAULT_PRESET,
    id: randomUUID(),
    sessionId: randomUUID(),
    createdBy,
    ...(schedule === undefined ? {} : { schedule }),
    ...(runbook === null ? {} : { runbooks: [usedOf(runbook)] }),
    ...(chatId === undefined ? {} : { chatId }),
  });
  const { id: goalId, sessionId, number, text, preset, stepBudget } = goal;
  if (!input.carryOver) await setCarryOver(tx, sessionId, false);
  const reached = await openInSpace(tx, sessionId, reach, folders);
  await appendTurns(tx, sessionId, [
    { role: 'user', content: text, ...author },
    ...[...notices, ...(again === undefined ? [] : [again.notice])].map(backgroundTurn),
    ...reached,
    ...(runbook === null ? [] : [runbookTurn(runbook)]),
    ...(input.proposeCheck ? [proposeCheckTurn] : []),
  ]);
  if (runbook !== null) await grantCommands(tx, goal, runbook);
  if (input.retry !== undefined || input.onFailed !== undefined) {
    await insertFollowUp(tx, goalId, { goal: input, notices, attempt: again?.attempt ?? 1 });
  }
  const seq = await appendEvents(tx, sessionId, [{ type: 'goal.created', goalId, number, text, preset, stepBudget }]);
  const notice: Notice = { type: 'events', sessionId, seq, goalId, types: ['goal.created'] };
  if (!input.paused) return { goal, notice };
  const paused = await withMachine(tx, goalId, async () => ({ event: { type: 'paused', by: createdBy } }));
  return { goal: { ...goal, state: 'paused', reason: `paused by ${createdBy}` }, notice: paused.notice ?? notice };
}

function opened(call: NonNullable<CreateGoal['runbook']>, open: OpenRunbook | undefined): Promise<OpenedRunbook> {
  if (open !== undefined) return open(call);
  throw new AishError('not_found', `There is no runbook ${call.name}: this machine has no knowledge base`);
}

function usedOf({ name, commit, digest, chosen }: OpenedRunbook): UsedRunbook {
  return { name, commit, digest, chosen };
}

/** What a person let this very runbook run: where a goal begins, and nowhere else. */
async function grantCommands(tx: Tx, { id: goalId, hostFolders, hosts }: Goal, runbook: OpenedRunbook): Promise<void> {
  const accepted = await findAcceptedRunbook(tx, runbook.name, runbook.digest);
  const folder = `/workspace/.runbooks/${runbook.name}/`;
  for (const action of accepted?.commands ?? []) {
    const createdBy = `runbook ${runbook.name}, ${accepted?.acceptedBy ?? ''}`;
    // What it runs is what lies in its commit, and nothing else: a file that anybody else wrote ends the grant.
    const code = boundFiles(action).flatMap(({ path, use }) => {
      const real = posix.resolve('/workspace', path);
      const content = real.startsWith(folder) ? runbook.files[real.slice(folder.length)] : undefined;
      return use === 'names' || content === undefined ? [] : [{ path: real, real, content }];
    });
    const binding = bindingAtStart(hostFolders, hosts, code);
    const grant = {
      id: randomUUID(),
      goalId,
      scope: 'command',
      action,
      ruleId: null,
      binding,
      carried: false,
    } as const;
    await insertGrant(tx, { ...grant, createdBy });
  }
}
