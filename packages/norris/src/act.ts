import { randomUUID } from 'node:crypto';
import { AishError, isAishError, type LiveBody, type Preset, type ProblemCode, type Turn } from '@aish/contracts';
import { EMPTY_ANSWER, addChunk, type Broker } from '@aish/broker';
import { GOAL_SYSTEM_PROMPT, compose, extract } from '@aish/conversation';
import type { Sandbox } from '@aish/sandbox-client';
import type { SafetyGate } from './gate.js';
import type { ActEffect, GoalEvent } from './machine.js';

export interface ActContext {
  readonly goalId: string;
  readonly preset: Preset;
  readonly step: number;
  readonly workspaceId: string;
  readonly turns: readonly Turn[];
  readonly commandTimeoutMs: number;
  readonly live: (body: LiveBody) => void;
}

/** Tokens of conversation that are sent when the endpoint has not yet said how many it takes. */
const WINDOW_TOKENS = 24_000;

/**
 * Carries one act out in the world and says what came of it. Throws only `aborted` and what nobody foresaw.
 */
export async function act(
  effect: ActEffect,
  context: ActContext,
  ports: { readonly broker: Broker; readonly sandbox: Sandbox; readonly gate: SafetyGate },
  signal: AbortSignal,
): Promise<GoalEvent> {
  switch (effect.type) {
    case 'ask':
      return ask(context, ports.broker, WINDOW_TOKENS, signal);
    case 'classify':
      return {
        type: 'classified',
        actionId: effect.action.id,
        classification: await ports.gate.judge(effect.action.command, context.workspaceId, signal),
      };
    case 'run':
      return run(effect.action.id, effect.action.command, context, ports.sandbox, signal);
    case 'recover':
      return recover(effect.action.id, effect.action.command, context, ports.sandbox, signal);
  }
}

async function ask(context: ActContext, broker: Broker, windowTokens: number, signal: AbortSignal): Promise<GoalEvent> {
  const messages = compose(GOAL_SYSTEM_PROMPT, context.turns, windowTokens);
  let answer = EMPTY_ANSWER;
  try {
    for await (const chunk of broker.chat({ preset: context.preset, messages }, signal)) {
      answer = addChunk(answer, chunk);
      if (chunk.type === 'text') {
        context.live({ type: 'model.delta', goalId: context.goalId, step: context.step, text: chunk.text });
      }
    }
  } catch (error) {
    if (isAishError(error, 'model_context_overflow')) {
      const smaller = roomFor(error, context.preset, windowTokens);
      if (smaller < windowTokens) return ask(context, broker, smaller, signal);
      return { type: 'failed', reason: error.message };
    }
    return modelAway(error);
  }
  const { commands, goalLine } = extract(answer.text);
  return {
    type: 'answered',
    text: answer.text,
    model: answer.model,
    usage: answer.usage,
    actions: commands.map((command) => ({ id: randomUUID(), command })),
    goalLine,
  };
}

/** The window that fits, from the server's own numbers: our estimate is off by `promptTokens / windowTokens`. */
function roomFor(error: AishError, preset: Preset, windowTokens: number): number {
  const { promptTokens, contextTokens } = error.facts;
  if (typeof promptTokens !== 'number' || typeof contextTokens !== 'number') return Math.floor(windowTokens / 2);
  const room = contextTokens - Math.min(preset.maxTokens, contextTokens / 4);
  const fitted = Math.floor((windowTokens * room * 0.9) / Math.max(promptTokens, contextTokens));
  return fitted < 300 ? windowTokens : fitted;
}

/** Whatever is wrong with the endpoint can be mended while the goal waits: it is no end. */
function modelAway(error: unknown): GoalEvent {
  if (!isAishError(error) || error.code === 'aborted') throw error;
  return { type: 'away', what: 'model', reason: `${error.code}: ${error.message}`, began: false };
}

async function run(
  runId: string,
  command: string,
  context: ActContext,
  sandbox: Sandbox,
  signal: AbortSignal,
): Promise<GoalEvent> {
  const request = { runId, workspaceId: context.workspaceId, command, timeoutMs: context.commandTimeoutMs };
  try {
    for await (const frame of sandbox.run(request, signal)) {
      if (frame.type === 'exit') return { type: 'ran', actionId: runId, outcome: frame.outcome };
      context.live({
        type: 'action.output',
        goalId: context.goalId,
        actionId: runId,
        stream: frame.stream,
        text: frame.text,
      });
    }
  } catch (error) {
    return sandboxAnswer(error, runId);
  }
  throw new AishError('internal', 'The stream of a run ended without an exit frame');
}

/** Takes over a run that was begun before: the sandbox knows it, or nobody does. */
async function recover(
  runId: string,
  command: string,
  context: ActContext,
  sandbox: Sandbox,
  signal: AbortSignal,
): Promise<GoalEvent> {
  try {
    const status = await sandbox.status(runId, signal);
    if (status === null || status.state === 'lost') return { type: 'lost', actionId: runId };
    if (status.outcome !== null) return { type: 'ran', actionId: runId, outcome: status.outcome };
  } catch (error) {
    // Asking after a run says nothing about whether it began.
    const answer = sandboxAnswer(error, runId);
    return answer.type === 'away' ? { ...answer, began: true } : answer;
  }
  return run(runId, command, context, sandbox, signal);
}

/** Refusals that come before anything was started. Every other one leaves open what happened. */
const NOTHING_BEGAN: ReadonlySet<ProblemCode> = new Set([
  'sandbox_unreachable',
  'engine_unavailable',
  'image_missing',
  'runtime_missing',
  'disk_full',
  'too_many',
  'service_stopping',
  'unauthorized',
]);
const NEVER_RUNS: ReadonlySet<ProblemCode> = new Set(['command_too_long', 'invalid_body', 'payload_too_large']);

function sandboxAnswer(error: unknown, actionId: string): GoalEvent {
  if (!isAishError(error) || error.code === 'aborted') throw error;
  const reason = `${error.code}: ${error.message}`;
  if (NOTHING_BEGAN.has(error.code)) return { type: 'away', what: 'sandbox', reason, began: false };
  if (NEVER_RUNS.has(error.code)) return { type: 'refused', actionId, reason };
  if (error.code === 'run_lost') return { type: 'lost', actionId };
  return { type: 'away', what: 'sandbox', reason, began: true };
}
