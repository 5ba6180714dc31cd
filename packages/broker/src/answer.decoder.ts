import { createParser, type EventSourceParser } from 'eventsource-parser';
import { z } from 'zod';
import type { ChatChunk, FinishReason } from './broker.port.js';
import { Frame, NO_USAGE, addUsage, chunksOf, finishReasonOf, plainText } from './frame.js';
import { badStream, brokenOff } from './refusal.js';

/**
 * Maximum length of a line or frame of a stream, in characters. A frame normally has a token or two, so this only
 * limits memory.
 */
export const FRAME_MAX_CHARS = 4 * 1024 * 1024;
/** Maximum length of a whole answer in characters, so that an endless stream cannot use up the memory. */
const ANSWER_MAX_CHARS = 16 * 1024 * 1024;
const TOO_LONG = `a frame is longer than ${FRAME_MAX_CHARS} characters`;

type Item = { readonly data: string } | { readonly fault: string };

/**
 * Turns the bytes of one SSE stream into chunks, without clock and network. The result does not depend on how the bytes
 * are split.
 *
 * @throws AishError `model_bad_stream` or `model_context_overflow`, after the chunks before the error.
 */
export class AnswerDecoder {
  readonly #text = new TextDecoder();
  readonly #parser: EventSourceParser;
  readonly #secret: string | null;
  #items: Item[] = [];
  #usage = NO_USAGE;
  #model: string | null = null;
  #finishReason: FinishReason | undefined;
  #isDone = false;
  #hasBegun = false;
  #answerChars = 0;

  /** @param secret the API key, which is removed from errors. */
  constructor(secret: string | null) {
    this.#secret = secret;
    this.#parser = createParser({
      maxBufferSize: FRAME_MAX_CHARS,
      onEvent: ({ data }) => this.#items.push(data.length > FRAME_MAX_CHARS ? { fault: TOO_LONG } : { data }),
      // Hosts that measure energy report it in a comment beside the answer.
      onComment: (comment) => {
        const joules = /^ ?energy \{"energy_joules": ?([\d.e+-]{1,30})[,}]/.exec(comment)?.[1];
        if (joules === undefined) return;
        this.#items.push({ data: JSON.stringify({ energy: { energy_joules: Number(joules) } }) });
      },
      onError: (error) => {
        if (error.type === 'max-buffer-size-exceeded') this.#items.push({ fault: TOO_LONG });
        // Older versions of llama.cpp end with a line `error: {…}` instead of `data: {"error": {…}}`.
        else if (error.field === 'error') this.#items.push({ data: `{"error":${error.value ?? '""'}}` });
      },
    });
  }

  /** Whether `[DONE]` was read, which ends the answer. */
  get isDone(): boolean {
    return this.#isDone;
  }

  *feed(bytes: Uint8Array): Generator<ChatChunk, void> {
    yield* this.#decode(this.#text.decode(bytes, { stream: true }));
  }

  /** Reads the rest of the body, then yields the `end` chunk. Call it once. */
  *finish(): Generator<ChatChunk, void> {
    // Some endpoints omit the blank line after the last frame.
    if (!this.#isDone) yield* this.#decode(`${this.#text.decode()}\n\n`);
    yield this.end();
  }

  /**
   * Returns the `end` chunk. A finish reason completes the answer, because not every endpoint sends `[DONE]`.
   *
   * @throws AishError `model_bad_stream` if neither arrived.
   */
  end(cause?: unknown): ChatChunk {
    if (this.#finishReason === undefined && !this.#isDone) {
      const what = this.#hasBegun ? 'the stream ended before the answer did' : 'the endpoint sent nothing';
      throw badStream(what, cause === undefined ? undefined : { cause });
    }
    return { type: 'end', finishReason: this.#finishReason ?? 'other', model: this.#model, usage: this.#usage };
  }

  *#decode(text: string): Generator<ChatChunk, void> {
    if (this.#isDone) return;
    if (text.trim() !== '') this.#hasBegun = true;
    this.#parser.feed(text);
    const items = this.#items;
    this.#items = [];
    // Each chunk passes through many stages, so texts that arrive together become one chunk.
    let gathered = '';
    try {
      for (const item of items) {
        if ('fault' in item) throw badStream(item.fault);
        if (item.data === '[DONE]') {
          this.#isDone = true;
          break;
        }
        const value = parseJson(item.data);
        const words = plainText(value);
        if (words !== undefined) {
          this.#model = (value as { model?: string }).model ?? this.#model;
          this.#count(words.length);
          gathered += words;
          continue;
        }
        const before = gathered;
        gathered = '';
        if (before !== '') yield { type: 'text', text: before };
        yield* this.#readFrame(parseFrame(value));
      }
    } catch (error) {
      if (gathered !== '') yield { type: 'text', text: gathered };
      throw error;
    }
    if (gathered !== '') yield { type: 'text', text: gathered };
  }

  #count(chars: number): void {
    this.#answerChars += chars;
    if (this.#answerChars > ANSWER_MAX_CHARS) throw badStream(`it is longer than ${ANSWER_MAX_CHARS} characters`);
  }

  *#readFrame(frame: Frame): Generator<ChatChunk, void> {
    if (frame.error) throw brokenOff(frame.error, this.#secret);
    this.#model = frame.model ?? this.#model;
    this.#usage = addUsage(this.#usage, frame);
    this.#finishReason = finishReasonOf(frame) ?? this.#finishReason;
    for (const chunk of chunksOf(frame)) {
      if (chunk.type === 'text' || chunk.type === 'reasoning') this.#count(chunk.text.length);
      if (chunk.type === 'toolCall') this.#count(chunk.argumentsDelta.length);
      yield chunk;
    }
  }
}

function parseJson(data: string): unknown {
  try {
    return JSON.parse(data) as unknown;
  } catch (cause) {
    throw badStream(`a frame is cut or is not JSON: ${data.slice(0, 80)}`, { cause });
  }
}

function parseFrame(value: unknown): Frame {
  const parsed = Frame.safeParse(value);
  if (!parsed.success) throw badStream(`a frame is not a chat chunk: ${z.prettifyError(parsed.error).slice(0, 300)}`);
  return parsed.data;
}
