import { actionText } from '@aish/contracts';
import { lostTurn, outputTurn, refusedTurn, repeatedTurn } from '@aish/conversation';
import type { Advance, Ending, GoalEvent, Judgement, RecordEffect } from './events.js';
import { askNext } from './decide.js';
import { begin, goOn, halt, nothing, resultTurn, sideBySide, told } from './go-on.js';
import { TOLD_AT, digest, remember, timesOf } from './repeats.js';
import { changeAction, find, headOf, type GoalMachine, type MachineAction } from './state.js';

/**
 * Runs what is safe or granted, from the action whose turn it is up to the first that is neither. That one halts the
 * goal when its own turn comes, so that nothing waits for a person which need not.
 */
export function classified(machine: GoalMachine, event: Extract<GoalEvent, { type: 'classified' }>): Advance {
  if (machine.state !== 'running') return nothing(machine);
  const head = headOf(machine);
  const open = head === undefined ? [] : sideBySide(machine, head);
  const counted: GoalMachine = { ...machine, activeMs: machine.activeMs + event.tookMs };
  const mayRun: MachineAction[] = [];
  const records: RecordEffect[] = [];
  for (const [at, judgement] of event.judgements.entries()) {
    const action = open[at];
    if (action?.id !== judgement.actionId || action.state !== 'pending') break;
    if (!isAllowed(judgement)) {
      if (mayRun.length > 0) break;
      const { classification } = judgement;
      const reason = classification.reason ?? 'it is not known to be safe';
      return halt(counted, action, reason, classification, [classify(judgement)]);
    }
    mayRun.push(action);
    records.push(classify(judgement), ...useOf(judgement));
  }
  return mayRun.length === 0 ? nothing(machine) : begin(counted, mayRun, records);
}

function isAllowed({ classification, grant }: Judgement): boolean {
  return classification.verdict === 'safe' || grant !== null;
}

function classify({ actionId, classification }: Judgement): RecordEffect {
  return { type: 'classifyAction', actionId, classification };
}

function useOf({ actionId, classification, grant }: Judgement): readonly RecordEffect[] {
  return classification.verdict === 'safe' || grant === null ? [] : [{ type: 'useGrant', actionId, grant }];
}

type Ended = Exclude<Ending, { kind: 'asks' }>;

/** Endings come in the order of their actions. */
export function ended(machine: GoalMachine, event: Extract<GoalEvent, { type: 'ended' }>): Advance {
  if (machine.state !== 'running') return nothing(machine);
  let current = machine;
  const records: RecordEffect[] = [];
  for (const ending of event.endings) {
    const action = find(current, ending.actionId, 'started');
    if (action === null) break;
    if (ending.kind === 'asks') {
      if (action.kind !== 'tool') break;
      // Calls that went beside it only read: they are made again when it is their turn.
      const counted = { ...current, activeMs: current.activeMs + event.tookMs, failures: 0 };
      return askNext(counted, action, ending.pending, records);
    }
    const times = timesOf(current.recent, action);
    records.push(...recordsOf(action, ending));
    current = afterEnding(current, action, ending);
    const isCheck = action.kind === 'command' && action.isCheck === true;
    if (times === TOLD_AT && !isCheck) records.push(told(repeatedTurn(actionText(action), times)));
  }
  if (records.length === 0) return nothing(machine);
  return goOn({ ...current, activeMs: current.activeMs + event.tookMs, failures: 0 }, records);
}

function afterEnding(machine: GoalMachine, action: MachineAction, ending: Ended): GoalMachine {
  const recent = remember(machine.recent, action, digestOf(ending));
  switch (ending.kind) {
    case 'ran': {
      const passed = ending.outcome.exitCode === 0;
      return { ...changeAction(machine, action.id, { state: 'finished', passed }), recent };
    }
    case 'answered':
      return { ...changeAction(machine, action.id, { state: 'finished' }), recent };
    case 'lost':
      return { ...changeAction(machine, action.id, { state: 'lost' }), recent };
    case 'refused':
      return { ...changeAction(machine, action.id, { state: 'skipped' }), recent };
  }
}

function recordsOf(action: MachineAction, ending: Ended): readonly RecordEffect[] {
  const { actionId } = ending;
  switch (ending.kind) {
    case 'ran': {
      const { outcome, connections = [] } = ending;
      const content = outputTurn(action.kind === 'command' ? action.command : action.label, outcome);
      return [
        ...(connections.length === 0 ? [] : [{ type: 'recordConnections' as const, actionId, connections }]),
        { type: 'setAction', actionId, state: 'finished', outcome, digest: digestOf(ending) },
        { type: 'appendTurn', role: 'output', content },
      ];
    }
    case 'answered': {
      const { result } = ending;
      if (action.kind !== 'tool') return [];
      const meta = { toolCallId: action.callId, toolName: action.tool, isError: result.isError };
      return [
        { type: 'setAction', actionId, state: 'finished', result, digest: digestOf(ending) },
        { type: 'appendTurn', role: 'tool', content: result.text, meta },
      ];
    }
    case 'lost':
      return [{ type: 'setAction', actionId, state: 'lost' }, resultTurn(action, lostTurn(actionText(action)))];
    case 'refused': {
      const { reason } = ending;
      return [
        { type: 'setAction', actionId, state: 'skipped', reason },
        resultTurn(action, refusedTurn(actionText(action), reason)),
      ];
    }
  }
}

/** What tells one end of an action from another. */
export function digestOf(ending: Ended): string {
  switch (ending.kind) {
    case 'ran':
      return digest(`${ending.outcome.exitCode} ${ending.outcome.output}`);
    case 'answered':
      return digest(ending.result.text);
    case 'lost':
      return 'lost';
    case 'refused':
      return 'skipped';
  }
}
