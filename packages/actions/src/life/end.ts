import { actionText } from '@aish/contracts/actions';
import { asRefusal, lostTurn, notRunTurn, repeatedTurn, takenBackTurn, unansweredTurn } from '@aish/prompt';
import type { ActionEvent, ActionRecord, Ending, Killed } from '../action.js';
import { isCheck } from './begin.js';
import { askNext } from './decide.js';
import { rollBackWithoutAsking, haltAfter, isWaiting, settling } from './held.js';
import { connected, endAction, withRecent } from './end-action.js';
import type { Change, LifePolicy } from './policy.js';
import { NOTICE_AT, countRepeats } from './repeats.js';
import { changeAction, find, hasEnded, noChange, type ActionMachine, type Advance } from './step.js';
import { resultTurn, modelNotice } from './model-turns.js';

/** `tookMs` and `at` are unknown if a verdict ends the action. */
type Ended = Pick<Extract<ActionEvent, { type: 'ended' }>, 'endings' | 'at'> & { readonly tookMs?: number };

/**
 * Handles the ends of started actions, in the order of the actions.
 *
 * @param goOn says what follows once they are written.
 */
export function ended<M extends ActionMachine, R>(
  machine: M,
  { endings, at, tookMs = 0 }: Ended,
  policy: LifePolicy<M, R>,
  goOn: (machine: M, records: readonly ActionRecord[]) => Advance<M, NoInfer<R> | ActionRecord>,
): Advance<M, R | ActionRecord> {
  if (machine.state !== 'running') return noChange(machine);
  const when = at === undefined ? undefined : { from: at - tookMs, to: at };
  const kept = keepTasks(machine, endings);
  let current = kept.machine;
  const records = [...kept.records];
  for (const ending of endings) {
    const action = find(current, ending.actionId, 'started') ?? settling(current, ending);
    if (action === null) break;
    if (ending.kind === 'asks') {
      if (action.kind !== 'tool') break;
      // The parallel calls only read, so they are repeated when it is their turn.
      return askNext(current, action, ending.pending, records, policy);
    }
    if (ending.kind === 'waits') {
      if (action.kind !== 'tool') break;
      const waiting = policy.wait(current, action, ending.pending.task);
      return { ...waiting, records: [...records, ...waiting.records] };
    }
    if (ending.kind === 'outdated') {
      const again = changeAction(current, action.id, { state: 'pending' });
      return goOn(again, [...records, { type: 'setAction', actionId: action.id, state: 'pending' }]);
    }
    if (ending.kind === 'ran' && isWaiting(ending.outcome)) {
      const unasked = rollBackWithoutAsking(current, action, ending);
      if (unasked !== null) return goOn(unasked.machine, [...records, ...unasked.records]);
      return haltAfter(current, action, ending, records, policy);
    }
    const after = endAction(current, action, ending, when);
    records.push(...after.records);
    current = after.machine;
    const times = countRepeats(current.recent, action);
    if (times === NOTICE_AT && !isCheck(action)) {
      records.push(modelNotice(repeatedTurn(actionText(action), times, policy.orElse)));
    }
  }
  return records.length === 0 ? noChange(machine) : goOn(current, records);
}

/** Records calls that became tasks of their servers, even if other calls fail, so that no call is made twice. */
function keepTasks<M extends ActionMachine>(machine: M, endings: readonly Ending[]): Change<M, ActionRecord> {
  let current = machine;
  const records: ActionRecord[] = [];
  for (const ending of endings) {
    if (ending.kind !== 'waits') continue;
    const { actionId, pending } = ending;
    const action = machine.step?.actions.find(
      ({ id, kind, state }) => id === actionId && kind === 'tool' && state === 'started',
    );
    if (action === undefined || JSON.stringify(action.pending) === JSON.stringify(pending)) continue;
    current = changeAction(current, actionId, { state: 'started', pending });
    records.push({ type: 'keepTask', actionId, pending });
  }
  return { machine: current, records };
}

/** Ends commands that were killed for a person. */
export function killed<M extends ActionMachine>(
  machine: M,
  { outcomes, connections = {} }: Killed,
): Change<M, ActionRecord> {
  let current = machine;
  const records: ActionRecord[] = [];
  for (const action of machine.step?.actions ?? []) {
    if (action.state !== 'started' || action.kind !== 'command') continue;
    const outcome = outcomes[action.id];
    const seen = connections[action.id];
    if (outcome === undefined) {
      records.push(...connected(action.id, seen));
      continue;
    }
    const more = seen === undefined ? {} : { connections: seen };
    const after = endAction(current, action, { kind: 'ran', actionId: action.id, outcome, ...more });
    records.push(...after.records);
    current = after.machine;
  }
  return { machine: current, records };
}

/** Ends every open action and gives every tool call a result, because the session's work has ended. */
export function closeActions<M extends ActionMachine>(machine: M, why: string): Change<M, ActionRecord> {
  let last = machine;
  const records: ActionRecord[] = [];
  for (const action of machine.step?.actions ?? []) {
    if (hasEnded(action)) continue;
    const state = action.state === 'started' ? 'lost' : 'skipped';
    // This is the state that the rows will have if the session continues.
    last = withRecent(changeAction(last, action.id, { state }), action, state);
    const what = actionText(action);
    const turn =
      state === 'lost'
        ? lostTurn(what)
        : action.held !== undefined
          ? takenBackTurn(what, why)
          : action.pending === undefined
            ? notRunTurn(what, why)
            : unansweredTurn(what, why);
    // A person ended all work instead of giving a verdict on this action.
    const ending = action.state === 'halted' ? asRefusal(turn, what) : turn;
    records.push({ type: 'setAction', actionId: action.id, state, reason: why }, resultTurn(action, ending));
  }
  return { machine: last, records };
}
