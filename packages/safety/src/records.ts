import { classify } from './classify.js';
import { classifyToolCall, type ToolCallOptions } from './tool-calls.js';

/** One line of answer to one line of question: `aish safety check --stdin --json`. */
export interface RecordAnswer {
  readonly id: string | number | null;
  readonly verdict: 'destructive' | 'safe' | 'unknown';
  readonly reason: string | null;
  readonly ruleId: string | null;
}

/**
 * Judges one JSON line: `{"id","cmd"}` is a command, `{"id","name","args"}` a tool call. A line that is neither is
 * answered `unknown` with the reason: one bad line does not end a long input.
 */
export function classifyRecord(line: string, options: ToolCallOptions = {}): RecordAnswer {
  const record = parse(line);
  if (record === null)
    return { id: null, verdict: 'unknown', reason: 'the line is not a JSON object', ruleId: 'record.invalid' };
  const id = typeof record['id'] === 'string' || typeof record['id'] === 'number' ? record['id'] : null;
  const { cmd, name, args } = record;
  if (typeof cmd === 'string') {
    const { verdict, reason, ruleId } = classify(cmd, options);
    return { id, verdict, reason, ruleId };
  }
  if (typeof name === 'string') {
    const { verdict, reason, ruleId } = classifyToolCall({ name, args: isObject(args) ? args : {} }, options);
    return { id, verdict, reason, ruleId };
  }
  return { id, verdict: 'unknown', reason: 'the record needs "cmd", or "name" and "args"', ruleId: 'record.invalid' };
}

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
