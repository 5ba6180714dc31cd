import { createParser, type EventSourceParser } from 'eventsource-parser';
import { z } from 'zod';
import type { ChatChunk, FinishReason } from './broker.port.js';
import { Frame, NO_USAGE, addUsage, chunksOf, finishReasonOf, plainText } from './frame.js';
import { badStream, brokenOff } from './refusal.js';

/** Longest line or frame of a stream, in characters. A frame holds a token or two; this only bounds memory. */
export const FRAME_MAX_CHARS = 4 * 1024 * 1024;
/** Longest whole answer, in characters: those who collect it must not run out of memory on a stream without an end. */
const ANSWER_MAX_CHARS = 16 * 1024 * 1024;
const TOO_LONG = `a frame is longer than ${FRAME_MAX_CHARS} characters`;

type Item = { readonly data: string } | { readonly fault: string };

/**
 * Turns the bytes of one SSE stream into chunks; no clock and no network. How the bytes are split does not matter.
 * @throws AishError `model_bad_stream` or `model_context_overflow`, after the chunks that came before the fault.
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

  /** @param secret the API key, kept out of errors. */
  constructor(secret: string | null) {
    this.#secret = secret;
    this.#parser = createParser({
      maxBufferSize: FRAME_MAX_CHARS,
      onEvent: ({ data }) => this.#items.push(data.length > FRAME_MAX_CHARS ? { fault: TOO_LONG } : { data }),
      // Hosts that measure it say so beside the answer.
      onComment: (comment) => {
        const said = /^ ?energy \{"energy_joules": ?([\d.e+-]{1,30})[,}]/.exec(comment)?.[1];
        if (said === undefined) return;
        this.#items.push({ data: JSON.stringify({ energy: { energy_joules: Number(said) } }) });
      },
      onError: (error) => {
        if (error.type === 'max-buffer-size-exceeded') this.#items.push({ fault: TOO_LONG });
        // Older llama.cpp breaks off with a line `error: {…}` in place of `data: {"error": {…}}`.
        else if (error.field === 'error') this.#items.push({ data: `{"error":${error.value ?? '""'}}` });
      },
    });
  }

  /** True after `[DONE]`. The answer ends there. */
  get isDone(): boolean {
    return this.#isDone;
  }

  *feed(bytes: Uint8Array): Generator<ChatChunk, void> {
    yield* this.#decode(this.#text.decode(bytes, { stream: true }));
  }

  /** Reads the rest of the body, then yields the `end` chunk. Call it once. */
  *finish(): Generator<ChatChunk, void> {
    // Some endpoints leave out the blank line after the last frame.
    if (!this.#isDone) yield* this.#decode(`${this.#text.decode()}\n\n`);
    yield this.end();
  }

  /**
   * The `end` chunk. A finish reason makes the answer whole, also without the `[DONE]` that not every endpoint sends.
   * @throws AishError `model_bad_stream` when neither came.
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
    // Words that came together go on together: each chunk passes many hands.
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
