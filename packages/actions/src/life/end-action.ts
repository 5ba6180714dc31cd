import { actionText, type RunOutcome } from '@aish/contracts/actions';
import type { CountedConnection } from '@aish/contracts/network';
import type { NewTurn } from '@aish/contracts/sessions';
import { lostTurn, noticeTurn, outputTurn, refusedTurn } from '@aish/prompt';
import type { Action, ActionRecord, Ending } from '../action.js';
import type { Change } from './policy.js';
import { NOT_RUN, digest, addRecent, type TimeSpan } from './repeats.js';
import { changeAction, type ActionMachine } from './step.js';
import { resultTurn, modelNotice } from './model-turns.js';

type Ended = Exclude<Ending, { kind: 'asks' | 'waits' | 'outdated' }>;

/** Ends an action without running it. */
export function skip<M extends ActionMachine>(
  machine: M,
  action: Action,
  reason: string,
  turn: NewTurn,
): Change<M, ActionRecord> {
  return {
    machine: withRecent(changeAction(machine, action.id, { state: 'skipped' }), action, NOT_RUN),
    records: [{ type: 'setAction', actionId: action.id, state: 'skipped', reason }, resultTurn(action, turn)],
  };
}

/** Ends one action: updates its machine and its row, and tells the model. */
export function endAction<M extends ActionMachine>(
  machine: M,
  action: Action,
  ending: Ended,
  when?: TimeSpan,
): Change<M, ActionRecord> {
  const { id: actionId } = action;
  switch (ending.kind) {
    case 'ran': {
      const { outcome, connections } = ending;
      const mark = digest(`${outcome.exitCode} ${outcome.output}`);
      const turn = outputTurn(action.kind === 'command' ? action.command : action.label, outcome);
      const change = { state: 'finished', passed: outcome.exitCode === 0 } as const;
      return {
        machine: withRecent(changeAction(machine, actionId, change), action, mark, when, hasWritten(outcome)),
        records: [
          ...connected(actionId, connections),
          { type: 'setAction', actionId, state: 'finished', outcome, digest: mark },
          { type: 'appendTurn', ...turn },
          ...noted(ending.notes),
        ],
      };
    }
    case 'answered': {
      const { result } = ending;
      const mark = digest(result.text);
      const machineAfter = withRecent(changeAction(machine, actionId, { state: 'finished' }), action, mark, when);
      if (action.kind !== 'tool') return { machine: machineAfter, records: [] };
      const meta = { toolCallId: action.callId, toolName: action.tool, isError: result.isError };
      return {
        machine: machineAfter,
        records: [
          { type: 'setAction', actionId, state: 'finished', result, digest: mark },
          { type: 'appendTurn', role: 'tool', provenance: 'tool', content: result.text, meta },
        ],
      };
    }
    case 'lost':
      return {
        machine: withRecent(changeAction(machine, actionId, { state: 'lost' }), action, 'lost', when),
        records: [
          ...connected(actionId, ending.connections),
          { type: 'setAction', actionId, state: 'lost' },
          resultTurn(action, lostTurn(actionText(action))),
          ...noted(ending.notes),
        ],
      };
    case 'refused':
      return skip(machine, action, ending.reason, refusedTurn(actionText(action), ending.reason));
  }
}

export function withRecent<M extends ActionMachine>(
  machine: M,
  action: Action,
  answer: string,
  when?: TimeSpan,
  wrote = false,
): M {
  return { ...machine, recent: addRecent(machine.recent, action, answer, when, wrote) };
}

/** Whether a command changed files permanently. Changes that were rolled back do not count. */
export function hasWritten({ effects, held }: Pick<RunOutcome, 'effects' | 'held'>): boolean {
  if (effects === undefined || (held !== undefined && held.verdict !== 'kept')) return false;
  return effects.created.files + effects.changed.files + effects.deleted.files > 0;
}

const noted = (notes: readonly string[] = []): readonly ActionRecord[] =>
  notes.map((note) => modelNotice(noticeTurn(note)));

export function connected(actionId: string, connections: readonly CountedConnection[] = []): readonly ActionRecord[] {
  return connections.length === 0 ? [] : [{ type: 'recordConnections', actionId, connections }];
}
