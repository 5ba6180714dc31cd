import { randomUUID } from 'node:crypto';
import type { Understood } from '@aish/broker';
import type { Preset } from '@aish/contracts/config/presets.settings';
import type { LiveBody } from '@aish/contracts/events';
import { invariant } from '@aish/contracts/invariant';
import type { AishError } from '@aish/contracts/problems';
import type { Turn } from '@aish/contracts/sessions';
import type { ToolContext, ToolSpec } from '@aish/contracts/tools';
import { compose, explained, goalSystemPrompt } from '@aish/prompt';
import type { Definition } from '@aish/tools';
import { askModel, readAnswer, requestOf, type ModelPorts, type ModelQuestion } from '../ask-model.js';
import type { ModelSlots } from '../model-slots.js';
import type { GoalEvent } from '../machine/goal/events.js';

export interface GoalQuestion extends Pick<ModelQuestion, 'offered' | 'wanted' | 'toolShare'> {
  readonly session: ToolContext & { readonly goalId: string };
  readonly preset: Preset;
  readonly seed: number | null;
  readonly step: number;
  readonly turns: readonly Turn[];
  /** Whether an earlier runner may already have asked this question. */
  readonly resumes: boolean;
  /** Returns the instructions for using the memory, for the system message. */
  readonly memory: () => Promise<string | null>;
  readonly live: (body: LiveBody) => void;
  /** Receives the text that the model had written when it was stopped. */
  readonly stopped: (text: string) => Promise<void>;
}

export interface GoalReply {
  readonly event: GoalEvent;
  /** How long the endpoint asks us to wait. */
  readonly retryAfterMs?: number;
  /** The tools that the request described. The list only grows. */
  readonly offered: readonly Definition[];
}

/**
 * Asks the model for the next step as soon as its endpoint has a free slot.
 *
 * @throws AishError `aborted`.
 */
export function askForStep(
  question: GoalQuestion,
  ports: ModelPorts & { readonly slots: ModelSlots },
  signal: AbortSignal,
): Promise<GoalReply> {
  return ports.slots.use(question.preset.baseUrl, signal, () => askNow(question, ports, signal));
}

async function askNow(question: GoalQuestion, ports: ModelPorts, signal: AbortSignal): Promise<GoalReply> {
  const { step, session } = question;
  const startedAt = performance.now();
  const asked = await modelQuestion(question, ports);
  const { specs } = asked;
  const place = { goalId: session.goalId, step };
  let written = '';
  const { answer, failure, offered } = await askModel(
    asked,
    ports,
    (chunk) => {
      if (chunk.type === 'again') written = '';
      if (chunk.type === 'reasoning') question.live({ type: 'model.reasoning', ...place, text: chunk.text });
      if (chunk.type !== 'text') return;
      written += chunk.text;
      question.live({ type: 'model.delta', ...place, text: chunk.text });
    },
    (progress) => question.live({ type: 'model.progress', ...place, ...progress }),
    signal,
  );
  if (failure?.code === 'aborted') {
    if (written !== '') await question.stopped(written);
    throw failure;
  }
  if (failure !== null && failure.code !== 'model_unparsed')
    return { ...unavailableReply(failure), offered: question.offered };
  const answered =
    failure === null ? answer : readAnswer(unreadable(failure), specs, ports.toolbox, UNREADABLE, 'goal');
  invariant(answered !== null, 'an answer of a model ends with being understood');
  const { text, reasoning, model, usage, notes, isSchemaEcho, actions, goalLine, cut } = answered;
  const event = {
    type: 'answered',
    text,
    reasoning,
    model,
    usage,
    notes,
    actions,
    goalLine,
    isSchemaEcho,
    cut,
  } as const;
  return { event: { ...event, checkId: randomUUID(), tookMs: performance.now() - startedAt }, offered };
}

async function modelQuestion(question: GoalQuestion, { toolbox }: ModelPorts): Promise<ModelQuestion> {
  const { session, turns, preset } = question;
  const [found, memory] = await Promise.all([toolbox.specs(session), question.memory()]);
  return {
    ...question,
    of: 'goal',
    turns: explained(turns, 'goal'),
    stream: { key: `aish-${session.sessionId}-${preset.name}-${turns.length}`, resumes: question.resumes },
    specs: turns.some(({ role }) => role === 'assistant') ? asAtBeginning(found, question.offered) : found,
    messages: ({ turns: shown, budgetTokens, tokensOf, tools, dialect }) =>
      compose(goalSystemPrompt(tools, memory, dialect), shown, budgetTokens, tokensOf),
  };
}

/**
 * Lets the model read the next question ahead, up to the answer of the person.
 *
 * @returns whether the model did so
 * @throws AishError as `Broker.chat`.
 */
export async function readAheadForStep(
  question: GoalQuestion,
  ports: ModelPorts,
  signal: AbortSignal,
): Promise<boolean> {
  const { turns } = question;
  // If no turn followed its own text, the model would be asked to continue that text. Every turn of results begins with
  // this character.
  const next: Turn = { seq: turns.length, role: 'user', provenance: 'aish', content: '[' };
  const asked = await modelQuestion({ ...question, turns: [...turns, next] }, ports);
  const request = requestOf(asked, ports, () => undefined);
  return ports.asker.readAhead(request, signal);
}

/**
 * Returns the tools that the goal knew when it began. Memory and knowledge that were empty then stay out of the head of
 * the prompt, which the model has already read.
 */
function asAtBeginning(specs: readonly ToolSpec[], offered: readonly Definition[]): readonly ToolSpec[] {
  const described = new Set(offered.map(({ name }) => name));
  // The names of tools from servers contain two underscores.
  const stays = ({ name }: ToolSpec): boolean => name.includes('__') || described.has(name);
  return specs.map((spec) => (stays(spec) ? spec : { ...spec, holdsNothing: true }));
}

/**
 * Returns the reply for an unavailable endpoint. It never ends the goal, because somebody can repair the endpoint while
 * the goal waits.
 */
function unavailableReply(error: AishError): Omit<GoalReply, 'offered'> {
  if (error.code === 'model_context_overflow') return { event: { type: 'failed', reason: error.message } };
  const { retryAfterS } = error.facts;
  return {
    event: { type: 'unavailable', what: 'model', reason: `${error.code}: ${error.message}`, began: false },
    ...(typeof retryAfterS === 'number' ? { retryAfterMs: retryAfterS * 1000 } : {}),
  };
}

/**
 * Returns the answer for text that the endpoint could not read, however aish asked. The model gets a notice, a few times.
 */
function unreadable(error: AishError): Understood {
  const { text } = error.facts;
  return {
    text: typeof text === 'string' ? text : '',
    reasoning: '',
    toolCalls: [],
    finishReason: 'other',
    model: null,
    usage: null,
    notes: [error.message],
    isSchemaEcho: false,
  };
}

const UNREADABLE = { cut: 'unreadable', isInCommand: false, isInHereDocument: false } as const;
