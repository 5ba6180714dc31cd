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
import { applyOverrides, emptySpace } from '@aish/contracts/spaces';
import { backgroundTurn, planFirstTurn, proposeCheckTurn, runbookTurn } from '@aish/prompt';
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
  /** The authors of the text, if the person did not write all of it. */
  readonly author?: TextAuthor;
  /** Texts from others that the model reads after the goal. */
  readonly notices?: readonly string[];
  /** The session in which the person gave the goal. */
  readonly chatId?: string;
  /** The host folders that exist, so that the model learns about those that it gets. */
  readonly folders?: readonly HostFolderOffer[];
  /** The maximum number of steps, if neither the goal nor its space sets one. */
  readonly maxSteps?: number;
  /** Finds the runbook that the goal names. If absent, there are no runbooks. */
  readonly openRunbook?: OpenRunbook | undefined;
  /** The schedule that creates the goal, and the key of this occurrence. */
  readonly schedule?: { readonly id: string; readonly key: string | null };
  /** Set for a further attempt: its number, from 2, and the notice for its model. */
  readonly again?: { readonly attempt: number; readonly notice: string };
}

/**
 * Saves session, goal, first turns and first event, with the current access of the goal's space.
 *
 * @returns null if the schedule has already created this goal.
 * @throws AishError `not_found` if its runbook does not exist, and the errors of `openRunbook`.
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
  // The space of an app may have no settings yet. A removed space gives no access.
  const space = (await findSpace(tx, name)) ?? emptySpace(name);
  const options = applyOverrides(space, input);
  const runbook = input.runbook === undefined ? null : await opened(input.runbook, openRunbook);
  const goal = await insertGoal(tx, {
    ...input,
    ...options,
    space: name,
    stepBudget: options.stepBudget ?? maxSteps,
    preset: options.preset ?? DEFAULT_PRESET,
    id: randomUUID(),
    sessionId: randomUUID(),
    createdBy,
    ...(schedule === undefined ? {} : { schedule }),
    ...(runbook === null ? {} : { runbooks: [usedOf(runbook)] }),
    ...(chatId === undefined ? {} : { chatId }),
  });
  const { id: goalId, sessionId, number, text, preset, stepBudget } = goal;
  if (!input.carryOver) await setCarryOver(tx, sessionId, false);
  const reached = await openInSpace(tx, sessionId, options, folders);
  // The goal comes after the notices about its hosts and network, because a small model answers the text that it reads
  // last.
  await appendTurns(tx, sessionId, [
    ...reached,
    { role: 'user', content: text, ...author },
    ...[...notices, ...(again === undefined ? [] : [again.notice])].map(backgroundTurn),
    ...(runbook === null ? [] : [runbookTurn(runbook)]),
    ...(input.proposeCheck ? [proposeCheckTurn] : []),
    ...(input.planFirst ? [planFirstTurn] : []),
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

/** Grants the commands that a person accepted for exactly this runbook. They are granted only when a goal begins. */
async function grantCommands(tx: Tx, { id: goalId, hostFolders, hosts }: Goal, runbook: OpenedRunbook): Promise<void> {
  const accepted = await findAcceptedRunbook(tx, runbook.name, runbook.digest);
  const folder = `/workspace/.runbooks/${runbook.name}/`;
  for (const action of accepted?.commands ?? []) {
    const createdBy = `runbook ${runbook.name}, ${accepted?.acceptedBy ?? ''}`;
    // The grant covers only the files as they are in the runbook's commit. It ends if anybody else writes such a file.
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
