import { changeAction, currentAction, isCalling, killed, noChange } from '@aish/actions';
import type { TurnMeta } from '@aish/contracts/sessions';
import { cutAnswerTurn, noticeTurn, type CutAnswer } from '@aish/prompt';
import { advanceActions, advanceToEffect, withAnswer } from '../session.js';
import type { ChatAdvance, ChatEvent, ChatRecord } from './events.js';
import { CHAT_POLICY, endExchange, startStep } from './policy.js';
import type { Answered, ChatMachine } from './state.js';

const echoTurn = noticeTurn(
  '[aish] Your last answer repeated the description of a tool. Call the tool, or answer in words.',
);

/** After these answers, the model is asked once more for the missing part. */
const ASKED_AGAIN: ReadonlySet<CutAnswer> = new Set(['in-command', 'unclosed', 'thinking', 'thought-repeats', 'empty']);

/**
 * The machine of a chat: decides what follows from an event. Pure. An event that does not fit the state (a late answer,
 * a second verdict) changes nothing.
 */
export function advanceChat(machine: ChatMachine, event: ChatEvent): ChatAdvance {
  if (machine.state === 'idle') return noChange(machine);
  switch (event.type) {
    case 'taken':
      return take(machine, event);
    case 'answered':
      return answer(machine, event.answer);
    case 'classified':
    case 'ended':
    case 'decided':
    case 'needDecided':
      return advanceActions(machine, event, CHAT_POLICY);
    case 'unavailable':
      return handleUnavailable(machine, event);
    case 'stopped': {
      const after = killed(machine, event);
      return endExchange(after.machine, 'stopped', null, `stopped by ${event.by}`, after.records);
    }
    case 'overtaken':
      if (machine.state !== 'deciding') return noChange(machine);
      return endExchange(machine, 'answered', null, `${event.by} went on without an answer to it`, []);
  }
}

/**
 * Handles an unavailable sandbox. If the action has not begun, aish tells the person immediately, because they are present
 * and can retry. If it may have begun, the runner keeps asking until there is an answer, however long that takes.
 */
function handleUnavailable(
  machine: ChatMachine,
  { reason, began }: Extract<ChatEvent, { type: 'unavailable' }>,
): ChatAdvance {
  const action = currentAction(machine);
  if (machine.state === 'running' && action?.state === 'approved' && action.held !== undefined) {
    return { machine, records: [], effect: { type: 'settle', action } };
  }
  if (machine.state !== 'running' || (action?.state !== 'started' && action?.state !== 'pending')) {
    return noChange(machine);
  }
  if (began) return { machine, records: [], effect: { type: 'recover', action } };
  const asked = changeAction(machine, action.id, { state: 'started' });
  const refused = { kind: 'refused', actionId: action.id, reason } as const;
  return advanceActions(asked, { type: 'ended', endings: [refused], tookMs: 0 }, CHAT_POLICY);
}

function take(machine: ChatMachine, event: Extract<ChatEvent, { type: 'taken' }>): ChatAdvance {
  if (machine.state !== 'running') return noChange(machine);
  const { step } = machine;
  if (step === null || step.answered || (event.draft.text === '' && event.draft.reasoning === '')) {
    return advanceToEffect(machine, isCalling(machine) ? [{ type: 'withdrawDecisions' }] : [], CHAT_POLICY);
  }
  return answer(machine, {
    ...event.draft,
    toolCalls: [],
    actions: [],
    goalLine: null,
    end: 'interrupted',
    preset: event.preset,
    fallbackFrom: null,
    model: null,
    usage: null,
    firstWordMs: null,
    totalMs: 0,
    notes: [],
    isSchemaEcho: false,
    trouble: { code: 'service_stopping', detail: 'The api stopped before the model’s answer was complete' },
  });
}

function answer(machine: ChatMachine, answered: Answered): ChatAdvance {
  const { step } = machine;
  if (machine.state !== 'running' || step === null || step.answered) return noChange(machine);
  const isWhole = answered.end === 'whole' || answered.end === 'length';
  const [actions, goalLine] = isWhole ? [answered.actions, answered.goalLine] : [[], null];
  const asked = withAnswer(machine, step, { actions, goalLine });
  const records: ChatRecord[] = [{ type: 'answerStep', n: step.n, answer: { ...answered, actions, goalLine } }];
  const hasContent = answered.text !== '' || answered.reasoning !== '' || actions.length > 0;
  if (hasContent) {
    const meta: TurnMeta = {
      ...(isWhole && answered.toolCalls.length > 0 ? { toolCalls: [...answered.toolCalls] } : {}),
      ...(answered.end === 'whole' ? {} : { end: answered.end }),
      ...(answered.reasoning === '' ? {} : { reasoning: answered.reasoning }),
      ...(answered.model === null ? {} : { model: answered.model }),
    };
    records.push({
      type: 'appendTurn',
      role: 'assistant',
      provenance: 'model',
      content: answered.text,
      ...(Object.keys(meta).length === 0 ? {} : { meta }),
    });
  }
  records.push(...asked.records);
  switch (answered.end) {
    case 'stopped':
    case 'interrupted':
    case 'failed':
      return endExchange(asked.machine, answered.end, answered.trouble, answered.end, records);
    case 'whole':
    case 'length':
      break;
  }
  const { cut = null } = answered;
  if (cut !== null) records.push({ type: 'appendTurn', ...cutAnswerTurn(cut) });
  // A person waits for an answer, so a chat never ends without text.
  if (cut !== null && ASKED_AGAIN.has(cut)) return CHAT_POLICY.nextStep(asked.machine, records);
  if (answered.isSchemaEcho && actions.length === 0 && machine.rounds === 1) {
    return startStep(asked.machine, [...records, { type: 'appendTurn', ...echoTurn }]);
  }
  return advanceToEffect(asked.machine, records, CHAT_POLICY);
}
