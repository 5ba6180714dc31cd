import { AnswerDecoder, collectAnswer, salvage, type ChatChunk } from '@aish/broker';
import { isAishError } from '@aish/contracts/problems';
import { generator, type Fuzz, type FuzzOptions, type FuzzResult } from './fuzz.js';
import { now } from './statistics.js';

const REPORTED = 20;
const CUTS_MAX = 12;
const PIECES: readonly string[] = [
  'data: ',
  'data:',
  'error: ',
  'event: x\n',
  'id: 1\n',
  ':\n',
  '\n',
  '\r\n',
  '\r',
  '\n\n',
  '[DONE]',
  '{',
  '}',
  '[',
  ']',
  ',',
  '"',
  '\\',
  'null',
  '1e999',
  '\u0000',
  'é',
  '👍',
  '\ufeff',
  'data: [DONE]\n\n',
  '{"error":{"message":"Context size has been exceeded.","code":500}}',
  '{"error":"no"}',
  '{"choices":[]}',
  '{"choices":[{"delta":{}}]}',
  '{"choices":[{"delta":{"content":17}}]}',
  '{"choices":{}}',
  '[]',
  '"x"',
  '"tool_calls":[{"index":0,"function":{"arguments":"{"}}]',
  '<tool_call>',
  '</tool_call>',
  '<function=note>',
  '{"name":"note","arguments":{',
];
const TOOLS: ReadonlySet<string> = new Set(['note', 'fs__read']);

/** Returns the decoder's result for bytes that are cut at some positions: an answer or a typed error. */
async function outcomeOf(bytes: Uint8Array, cuts: readonly number[]): Promise<string> {
  const decoder = new AnswerDecoder(null);
  const chunks: ChatChunk[] = [];
  const edges = [0, ...cuts.toSorted((a, b) => a - b), bytes.length];
  try {
    // The pieces are pushed one at a time, because everything before an error counts.
    for (const [at, start] of edges.slice(0, -1).entries()) {
      for (const chunk of decoder.feed(bytes.subarray(start, edges[at + 1]))) chunks.push(chunk);
    }
    for (const chunk of decoder.finish()) chunks.push(chunk);
  } catch (error) {
    if (
      !isAishError(
        error,
        'model_bad_stream',
        'model_context_overflow',
        'model_unparsed',
        'model_template',
        'model_grammar',
        'model_no_tools',
      )
    )
      throw error;
    return JSON.stringify([error.code, error.message, await collectAnswer(chunks)]);
  }
  return JSON.stringify(await collectAnswer(chunks));
}

/** Generates streams as an endpoint might send them, intact and damaged, in random pieces. */
class Run {
  readonly failures: string[] = [];
  failed = 0;
  slowestMs = 0;
  private readonly random: () => number;

  constructor(private readonly options: FuzzOptions) {
    this.random = generator(options.seed);
  }

  async all(): Promise<FuzzResult> {
    for (let n = 0; n < this.options.inputs; n += 1) await this.one();
    return this;
  }

  private async one(): Promise<void> {
    const text = this.random() < 0.5 ? this.stream() : this.damaged();
    const bytes = Buffer.from(text);
    const cuts = Array.from({ length: this.below(CUTS_MAX) }, () => this.below(bytes.length + 1));
    const before = now();
    try {
      const whole = await outcomeOf(bytes, []);
      if ((await outcomeOf(bytes, cuts)) !== whole) this.fail(`another result when cut at ${cuts.join(', ')}`, text);
      for (const { name, arguments: args } of salvage(text, TOOLS).calls) {
        if (!TOOLS.has(name) || typeof JSON.parse(args) !== 'object') this.fail('a call that is none', text);
      }
    } catch (error) {
      this.fail(`an error without a type: ${String(error)}`, text);
    }
    const ms = now() - before;
    this.slowestMs = Math.max(this.slowestMs, ms);
    if (ms > this.options.limitMs) this.fail(`${ms.toFixed(0)} ms`, text);
  }

  /** Returns a stream as llama.cpp sends it: words, thoughts and calls in any mixture, an end, and the usage. */
  private stream(): string {
    const frame = (value: unknown): string => `data: ${JSON.stringify(value)}\n\n`;
    const delta = (fields: object): string =>
      frame({ choices: [{ index: 0, delta: fields, finish_reason: null }], model: 'm' });
    const parts = Array.from({ length: this.below(20) }, (): string => {
      const words = this.pick([
        'a',
        '',
        'ü👍',
        'line\nline',
        '"\\',
        '<tool_call>{"name":"note","arguments":{}}</tool_call>',
      ]);
      const index = this.below(3);
      return this.pick([
        delta({ content: words }),
        delta({ reasoning_content: words }),
        delta({ content: words, reasoning_content: words }),
        delta({ tool_calls: [{ index, id: `c${index}`, function: { name: 'note', arguments: words } }] }),
        delta({ tool_calls: [{ index, function: { arguments: words } }] }),
        ':\n\n',
        frame({ choices: [], prompt_progress: { processed: 1, total: 2 } }),
      ]);
    });
    const end = frame({
      choices: [{ index: 0, delta: {}, finish_reason: this.pick(['stop', 'length', 'tool_calls', 'odd']) }],
    });
    const usage = frame({ choices: [], usage: { prompt_tokens: 1, completion_tokens: 2 } });
    return parts.join('') + end + usage + this.pick(['data: [DONE]\n\n', 'data: [DONE]', '']);
  }

  private damaged(): string {
    const chars = Array.from(this.stream());
    for (let times = 1 + this.below(8); times > 0; times -= 1) {
      chars.splice(this.below(chars.length + 1), this.below(20), this.pick(PIECES));
    }
    return chars.join('').repeat(this.random() < 0.01 ? 20 : 1);
  }

  private below(limit: number): number {
    return Math.floor(this.random() * limit);
  }

  private pick<T>(list: readonly T[]): T {
    const item = list[this.below(list.length)];
    if (item === undefined) throw new Error('stream fuzz: nothing to pick from');
    return item;
  }

  private fail(what: string, text: string): void {
    this.failed += 1;
    if (this.failures.length < REPORTED) this.failures.push(`${what}: ${JSON.stringify(text.slice(0, 2_000))}`);
  }
}

export const fuzz: Fuzz = {
  about:
    'the reader of answers and the salvager of calls: any split gives the same, broken input a typed error, never a hang',
  defaults: { inputs: 20_000, seed: 1, limitMs: 500 },
  run: (options) => new Run(options).all(),
};
