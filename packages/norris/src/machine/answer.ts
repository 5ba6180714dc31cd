import { refusedTurn, schemaEchoTurn } from '@aish/conversation';
import { actionText, type Usage } from '@aish/contracts';
import type { Advance, GoalEvent, NewAction, RecordEffect } from './events.js';
import { end, goOn, nothing, resultTurn, startStep, told } from './go-on.js';
import { remember } from './repeats.js';
import type { GoalMachine, MachineAction } from './state.js';

/** Answers in a row that ask for nothing that can be done; more end the goal. */
export const MALFORMED_MAX = 4;

export function answer(machine: GoalMachine, event: Extract<GoalEvent, { type: 'answered' }>): Advance {
  const { step } = machine;
  if (machine.state !== 'running' || step === null || step.answered) return nothing(machine);
  const { text, model, usage, notes, goalLine } = event;
  const check = checkOf(machine, event);
  const asked = event.actions.map(({ fault: _fault, ...action }) => action);
  const all = check === null ? asked : [...asked, check];
  const faults = new Map(
    event.actions.flatMap((action) => (action.fault === undefined ? [] : [[action.id, action.fault]])),
  );
  const isMalformed = event.isSchemaEcho || (faults.size > 0 && faults.size === event.actions.length);
  const malformed = isMalformed ? machine.malformed + 1 : 0;
  const onlyTools = asked.length > 0 && goalLine === null && asked.every((action) => action.kind === 'tool');
  const actions = all.map((action): MachineAction => ({
    ...action,
    state: faults.has(action.id) ? 'skipped' : 'pending',
  }));
  const answered: GoalMachine = {
    ...machine,
    stepsTaken: machine.stepsTaken + 1,
    tokensUsed: machine.tokensUsed + tokensOf(usage),
    activeMs: machine.activeMs + event.tookMs,
    failures: 0,
    nudged: asked.length > 0 ? false : machine.nudged,
    malformed,
    recent: asked
      .filter(({ id }) => faults.has(id))
      .reduce((recent, action) => remember(recent, action, 'skipped'), machine.recent),
    toolDepth: onlyTools ? machine.toolDepth + 1 : 0,
    step: { ...step, answered: true, goalLine, actions },
  };
  const records: RecordEffect[] = [
    { type: 'answerStep', n: step.n, text, model, usage, notes, goalLine, actions: all },
    assistantTurn(text, asked),
    ...actions.flatMap((action): RecordEffect[] => {
      const fault = faults.get(action.id);
      if (fault === undefined) return [];
      const refused = { type: 'setAction', actionId: action.id, state: 'skipped', reason: fault } as const;
      return [refused, resultTurn(action, refusedTurn(actionText(action), fault))];
    }),
  ];
  if (malformed >= MALFORMED_MAX) {
    return end(answered, 'stalled', `its tool calls could not be made ${malformed} times in a row`, null, records);
  }
  if (event.isSchemaEcho && goalLine === null) return startStep(answered, [...records, told(schemaEchoTurn)]);
  return goOn(answered, records);
}

/** A goal with a check has one more action when its model says that it is complete. */
function checkOf(machine: GoalMachine, event: Extract<GoalEvent, { type: 'answered' }>): NewAction | null {
  if (machine.verify === null || event.goalLine?.kind !== 'complete') return null;
  return { kind: 'command', command: machine.verify, isCheck: true, id: event.checkId };
}

function assistantTurn(text: string, actions: readonly NewAction[]): RecordEffect {
  const toolCalls = actions.flatMap((action) =>
    action.kind === 'tool' ? [{ id: action.callId, name: action.tool, arguments: action.arguments }] : [],
  );
  const turn = { type: 'appendTurn', role: 'assistant', content: text } as const;
  return toolCalls.length === 0 ? turn : { ...turn, meta: { toolCalls } };
}

/** What an answer cost: tokens that had to be read, and those written. What came from the cache costs next to nothing. */
function tokensOf(usage: Usage | null): number {
  if (usage === null) return 0;
  return Math.max(0, (usage.promptTokens ?? 0) - (usage.cachedTokens ?? 0)) + (usage.completionTokens ?? 0);
}
