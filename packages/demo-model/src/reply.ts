import { randomBytes } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ChatBody } from './chat.body.js';

/** The reply to one request. */
export type Reply =
  /** `delayMs` is the pause before each piece of `chunkChars` characters (default 4, about a token). */
  | {
      readonly text: string;
      readonly delayMs?: number;
      readonly chunkChars?: number;
      /** Tool calls after the text. Their arguments are sent in pieces. */
      readonly toolCalls?: readonly { readonly name: string; readonly arguments: string }[];
      /** Thoughts before the text. */
      readonly reasoning?: string;
      /** With `length`, the limit of the request has cut off the answer. */
      readonly finish?: 'length';
    }
  | { readonly status: number; readonly body: unknown; readonly headers?: Readonly<Record<string, string>> }
  /** Bytes that are written as the stream. Then the connection is cut. */
  | { readonly raw: string }
  /** Sends nothing, or `text` and then nothing, until the client disconnects. */
  | { readonly hang: 'beforeHeaders' | 'midStream'; readonly text?: string };

export interface ReplyContext {
  readonly model: string;
  readonly request: ChatBody;
  /** Aborted when the client has disconnected. */
  readonly signal: AbortSignal;
  readonly tokensPerSecond?: number;
  readonly cutsAtLimit?: boolean;
}

const CHARS_PER_TOKEN = 4;

/** Sends one reply. It returns early if the client disconnects. */
export async function sendReply(response: ServerResponse, reply: Reply, context: ReplyContext): Promise<void> {
  if ('status' in reply) {
    response.writeHead(reply.status, { 'content-type': 'application/json; charset=utf-8', ...reply.headers });
    response.end(JSON.stringify(reply.body));
  } else if ('raw' in reply) {
    startStream(response).write(reply.raw, () => response.destroy());
  } else if ('hang' in reply) {
    if (reply.hang === 'midStream') await writeText(startStream(response), { text: reply.text ?? '' }, context);
  } else if (context.request.stream === true) {
    await streamText(startStream(response), cut(reply, context), context);
  } else {
    await pauseFor(piecesOf(reply).length * pauseMs(reply, context), context.signal);
    const message = { role: 'assistant', content: reply.text };
    const body = { ...head(context, 'chat.completion'), ...usage(reply, context) };
    response.writeHead(200, { 'content-type': 'application/json; charset=utf-8' });
    response.end(JSON.stringify({ ...body, choices: [{ index: 0, finish_reason: 'stop', message }] }));
  }
}

type TextReply = Extract<Reply, { text: string; chunkChars?: number }>;

/** Cuts a reply at its limit. Thoughts and answer share one limit, as in llama-server. */
function cut(reply: TextReply, { request, cutsAtLimit = false }: ReplyContext): TextReply {
  const limit = request.max_tokens ?? Infinity;
  const { toolCalls: _, ...rest } = reply;
  const thoughts = piecesOf({ ...rest, text: rest.reasoning ?? '' });
  const words = piecesOf(rest);
  if (!cutsAtLimit || thoughts.length + words.length <= limit) return reply;
  return {
    ...rest,
    reasoning: thoughts.slice(0, limit).join(''),
    text: words.slice(0, Math.max(0, limit - thoughts.length)).join(''),
    finish: 'length',
  };
}

async function streamText(response: ServerResponse, reply: TextReply, context: ReplyContext): Promise<void> {
  const frame = await writeText(response, reply, context);
  if (context.signal.aborted) return;
  const counts = usage(reply, context);
  const withUsage = context.request.stream_options?.include_usage === true;
  for (const [index, call] of (reply.toolCalls ?? []).entries()) {
    for (const piece of callPieces(index, call)) {
      await pauseFor(pauseMs(reply, context), context.signal);
      if (context.signal.aborted) return;
      writeFrame(response, frame({ index: 0, finish_reason: null, delta: { tool_calls: [piece] } }));
    }
  }
  const reason = reply.finish ?? (reply.toolCalls === undefined ? 'stop' : 'tool_calls');
  const last: Choice = { index: 0, finish_reason: reason, delta: {} };
  writeFrame(response, { ...frame(last), ...(withUsage ? {} : { timings: counts.timings }) });
  if (withUsage) writeFrame(response, { ...frame(), ...counts });
  response.end('data: [DONE]\n\n');
}

interface Choice {
  readonly index: 0;
  readonly finish_reason: 'stop' | 'length' | 'tool_calls' | null;
  readonly delta: {
    readonly role?: 'assistant';
    readonly content?: string | null;
    readonly reasoning_content?: string;
    readonly tool_calls?: readonly object[];
  };
}
const opening: Choice = { index: 0, finish_reason: null, delta: { role: 'assistant', content: null } };

/** Writes the role frame and the content frames. Returns a function that makes further frames of the same answer. */
async function writeText(
  response: ServerResponse,
  reply: TextReply,
  context: ReplyContext,
): Promise<(choice?: Choice) => object> {
  const same = head(context, 'chat.completion.chunk');
  const frame = (choice?: Choice): object => ({ choices: choice === undefined ? [] : [choice], ...same });
  const total = promptTokens(context);
  if (context.request.return_progress === true) {
    for (const processed of [0, total]) {
      writeFrame(response, { ...frame(opening), prompt_progress: { total, cache: 0, processed, time_ms: 0 } });
    }
  }
  writeFrame(response, frame(opening));
  const deltas = [
    ...piecesOf({ ...reply, text: reply.reasoning ?? '' }).map((piece) => ({ reasoning_content: piece })),
    ...piecesOf(reply).map((content) => ({ content })),
  ];
  for (const delta of deltas) {
    await pauseFor(pauseMs(reply, context), context.signal);
    if (context.signal.aborted) break;
    writeFrame(response, frame({ index: 0, finish_reason: null, delta }));
  }
  return frame;
}

function startStream(response: ServerResponse): ServerResponse {
  response.writeHead(200, { 'content-type': 'text/event-stream', 'x-accel-buffering': 'no' });
  response.flushHeaders();
  return response;
}

function writeFrame(response: ServerResponse, frame: object): void {
  response.write(`data: ${JSON.stringify(frame)}\n\n`);
}

function head({ model }: ReplyContext, object: string): object {
  const id = `chatcmpl-${randomBytes(16).toString('base64url')}`;
  return { created: Math.floor(Date.now() / 1000), id, model, system_fingerprint: 'aish-scripted', object };
}

/** Returns the frames of a call in the order of llama.cpp: ID and name first, then the arguments in pieces. */
function callPieces(index: number, call: { readonly name: string; readonly arguments: string }): readonly object[] {
  const id = randomBytes(16).toString('hex');
  const head = { index, id, type: 'function', function: { name: call.name, arguments: '' } };
  const pieces = piecesOf({ text: call.arguments, chunkChars: 3 });
  return [head, ...pieces.map((text) => ({ index, function: { arguments: text } }))];
}

/** Splits a text into pieces, without splitting a character, like llama.cpp. */
function piecesOf({ text, chunkChars = CHARS_PER_TOKEN }: TextReply): readonly string[] {
  const characters = Array.from(text);
  const count = Math.ceil(characters.length / chunkChars);
  return Array.from({ length: count }, (_, i) => characters.slice(i * chunkChars, (i + 1) * chunkChars).join(''));
}

function pauseMs({ delayMs = 0, chunkChars = CHARS_PER_TOKEN }: TextReply, { tokensPerSecond }: ReplyContext): number {
  return tokensPerSecond === undefined ? delayMs : (1000 * chunkChars) / CHARS_PER_TOKEN / tokensPerSecond;
}

async function pauseFor(ms: number, signal: AbortSignal): Promise<void> {
  if (ms <= 0 || signal.aborted) return;
  await sleep(ms, undefined, { signal }).catch((error: unknown) => {
    if (!signal.aborted) throw error;
  });
}

function promptTokens({ request }: ReplyContext): number {
  const chars = request.messages.reduce((sum, message) => sum + message.content.length, 0);
  return Math.max(1, Math.ceil(chars / CHARS_PER_TOKEN));
}

/**
 * Estimates the usage, because there is no tokenizer here. There is no cache either, so nothing is reported about one.
 */
function usage(reply: TextReply, context: ReplyContext): { usage: object; timings: object } {
  const prompt = promptTokens(context);
  const completion = Math.ceil((reply.text.length + (reply.reasoning?.length ?? 0)) / CHARS_PER_TOKEN);
  const predictedMs = piecesOf(reply).length * pauseMs(reply, context);
  return {
    usage: {
      completion_tokens: completion,
      prompt_tokens: prompt,
      total_tokens: prompt + completion,
    },
    timings: { prompt_n: prompt, prompt_ms: 0, predicted_n: completion, predicted_ms: predictedMs },
  };
}
