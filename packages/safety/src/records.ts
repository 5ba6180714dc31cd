import { isCallStopped, type Classification } from '@aish/contracts/safety';
import { whenAsked } from './ask-first.js';
import { classify } from './classify.js';
import type { SessionWords } from './outward/address-origin.js';
import { withOutward } from './outward/judge-outward.js';
import { classifyToolCall, type ToolCallOptions } from './tool-calls.js';

type RecordId = string | number | null;

/** One action to judge: `{"id","cmd"}`, or `{"id","tool":{"name","args"},"person":[…],"read":[{"from","text"}…]}`. */
export type SafetyRecord =
  | { readonly id: RecordId; readonly kind: 'command'; readonly command: string }
  | {
      readonly id: RecordId;
      readonly kind: 'tool';
      readonly name: string;
      readonly args: Readonly<Record<string, unknown>>;
      /** The messages of people and the results of tools before the call. */
      readonly words: SessionWords;
    };

/** The answer line for one input line of `aish safety check --stdin --json`. */
export interface RecordAnswer {
  readonly id: RecordId;
  readonly verdict: Classification['verdict'];
  /**
   * Whether a person is asked before the action runs. For a command, this assumes a closed workspace with layers. For a
   * tool, it assumes a tool that otherwise runs without a decision.
   */
  readonly asks: boolean;
  /** Whether the command runs in a layer and a person is asked afterwards if it destroyed something. */
  readonly after: boolean;
  readonly reason: string | null;
  readonly ruleId: string | null;
}

/**
 * Judges one JSON line by the rules alone. A malformed line gets the verdict `unknown`, so that it does not end a long
 * input.
 */
export function classifyRecord(line: string, options: ToolCallOptions = {}): RecordAnswer {
  const record = readRecord(line);
  if ('verdict' in record) return record;
  const found = record.kind === 'command' ? classify(record.command, options) : classifyToolCall(record, options);
  return answerRecord(record, found, options);
}

/** Decides when a person is asked about a record that the gate judged as `found`. Pure. */
export function answerRecord(record: SafetyRecord, found: Classification, options: ToolCallOptions = {}): RecordAnswer {
  const { id } = record;
  if (record.kind === 'command') {
    const { verdict, reason, ruleId } = found;
    const ground = { isClosed: true, rules: options.rules ?? [] };
    return { id, verdict, ...whenAsked(record.command, found, ground), reason, ruleId };
  }
  const judged = withOutward(found, record, record.words);
  const { verdict, reason, ruleId } = judged;
  return { id, verdict, asks: isCallStopped(judged), after: false, reason, ruleId };
}

/**
 * Reads one line. The older form of a call, `{"id","name","args"}`, is also accepted.
 *
 * @returns the record, or the answer if the line is not a record
 */
export function readRecord(line: string): SafetyRecord | RecordAnswer {
  const record = parse(line);
  if (record === null) return invalid(null, 'the line is not a JSON object');
  const { cmd, tool = record, person = [], read = [] } = record;
  const id = typeof record['id'] === 'string' || typeof record['id'] === 'number' ? record['id'] : null;
  if (typeof cmd === 'string') return { id, kind: 'command', command: cmd };
  if (!isObject(tool) || typeof tool['name'] !== 'string')
    return invalid(id, 'the record needs "cmd", or "tool" with "name" and "args"');
  if (!isListOf(person, isText) || !isListOf(read, isRead))
    return invalid(id, '"person" is a list of texts, and "read" a list of objects with "from" and "text"');
  const words = {
    person: person.map((text) => ({ text, isRefusal: false })),
    read: read.map(({ from, text }) => ({ from, text, hasRecords: true })),
  };
  return { id, kind: 'tool', name: tool['name'], args: isObject(tool['args']) ? tool['args'] : {}, words };
}

const invalid = (id: RecordId, reason: string): RecordAnswer => ({
  id,
  verdict: 'unknown',
  asks: true,
  after: false,
  reason,
  ruleId: 'record.invalid',
});

function parse(line: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(line);
    return isObject(value) ? value : null;
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isText = (value: unknown): value is string => typeof value === 'string';
const isRead = (value: unknown): value is { from: string; text: string } =>
  isObject(value) && isText(value['from']) && isText(value['text']);
const isListOf = <T>(value: unknown, is: (each: unknown) => each is T): value is readonly T[] =>
  Array.isArray(value) && value.every(is);
