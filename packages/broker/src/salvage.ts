import type { ToolCall } from '@aish/contracts/tools';
import { NAMED_FORMATS, bareValues } from './call-formats.js';
import { plainName } from './action-calls.js';
import { readObject } from './repair-json.js';

/** The calls and the other text of an answer. */
export interface Salvaged {
  /** The text of the answer without the calls. */
  readonly text: string;
  readonly calls: readonly Omit<ToolCall, 'id'>[];
  /** Whether the model repeated the description of a tool instead of calling it. */
  readonly isSchemaEcho: boolean;
}

/**
 * Returns complete, marked calls at the very end of thoughts without a following answer. The model has begun to call
 * and forgot to end its thoughts. A call that it only thinks about is never taken. Pure.
 */
export function salvageThoughts(thoughts: string, tools: ReadonlySet<string>): Salvaged['calls'] {
  const text = thoughts.trimEnd();
  if (text.length > MAX_CHARS) return [];
  const last = MARKED.flatMap((read) => read(text, tools)).find(({ end }) => end === text.length);
  const isClosed =
    /(?:<\/(?:\w+:)?(?:tool_calls?|function|function_calls|invoke)>|<\|call\|>|<tool_call\|>|<\|tool_call_end\|>|<｜tool▁calls?▁end｜>|<\|tool_calls_section_end\|>)$/.test(
      text,
    ) || /(?:\[TOOL_CALLS\]|<\|python_tag\|>)[\s\S]*[\]}]$/.test(text);
  return last !== undefined && isClosed ? last.calls.slice(0, MAX_CALLS) : [];
}

/** Maximum number of calls taken from one text. Further calls stay in the text. */
const MAX_CALLS = 16;
/** Maximum length of a text. In the worst case the patterns below take quadratic time. */
const MAX_CHARS = 64 * 1024;

interface Found {
  readonly start: number;
  readonly end: number;
  readonly calls: readonly Omit<ToolCall, 'id'>[];
}

/**
 * Reads tool calls that a model wrote as text, in the formats that models were trained on. It does so only if the
 * meaning is certain: the format is marked (or is the whole answer), the tool is an offered one, and the arguments are
 * an object. Code in a sentence, an example or a quoted result is never a call. Pure.
 */
export function salvage(text: string, tools: ReadonlySet<string>): Salvaged {
  const none: Salvaged = { text, calls: [], isSchemaEcho: false };
  if (tools.size === 0 || text.length > MAX_CHARS) return none;
  const found: Found[] = [];
  for (const read of READERS) {
    for (const each of read(text, tools)) {
      if (!found.some((other) => each.start < other.end && other.start < each.end)) found.push(each);
    }
  }
  const taken = found.toSorted((a, b) => a.start - b.start);
  const calls = taken.flatMap((each) => each.calls).slice(0, MAX_CALLS);
  if (calls.length === 0) return { ...none, isSchemaEcho: isSchemaEcho(text, tools) };
  let rest = '';
  let at = 0;
  for (const each of taken) {
    rest += text.slice(at, each.start);
    at = each.end;
  }
  return { text: (rest + text.slice(at)).trim(), calls, isSchemaEcho: false };
}

type Reader = (text: string, tools: ReadonlySet<string>) => readonly Found[];

/** The markers before and after calls in JSON. */
const TAGS: readonly (readonly [string, string])[] = [
  ['<tool_calls?>', '</tool_calls?>'],
  ['<tools>', '</tools>'],
  ['<TOOLCALL>', '</TOOLCALL>'],
  ['<function_call>', '</function_call>'],
  ['<\\|tool_call\\|>', '<\\|/tool_call\\|>'],
  ['<\\|START_ACTION\\|>', '<\\|END_ACTION\\|>'],
  ['<\\|tool_call_start\\|>', '<\\|tool_call_end\\|>'],
  ['functools(?=\\[)', '$'],
];

/** The formats whose markers never occur by chance. */
const MARKED: readonly Reader[] = [
  // Qwen3-Coder and similar: <function=name><parameter=key>value</parameter></function>, with or without <tool_call>.
  (text, tools) =>
    matches(
      /(?:<(?:\w+:)?tool_call>\s*)?<function=([\w.-]{1,64})>([\s\S]*?)(?:<\/function>(?:\s*<\/(?:\w+:)?tool_call>)?|<\/(?:\w+:)?tool_call>|(?<=<\/parameter>\s*)$)/g,
      text,
      ([, name = '', body = '']) => {
        const args = parametersOf(body);
        return args === null ? [] : callTo(name, bareValues(name, args), tools);
      },
    ),
  // Hermes, Qwen: <tool_call>{"name": …, "arguments": {…}}</tool_call>. The last closing tag is often missing. Other
  // models use other tags: Nemotron, Jamba, Granite, Phi-4, Command R, and Qwen2.5-Coder when it mixes up its tags.
  ...TAGS.map(([open, close]): Reader => {
    const pattern = new RegExp(`${open}\\s*([{[][\\s\\S]*?)\\s*(?:${close}|$)`, 'g');
    return (text, tools) => matches(pattern, text, (match) => callsIn((match[1] ?? '').trim(), tools));
  }),
  // Mistral: a list, or one object.
  (text, tools) =>
    matches(/\[TOOL_CALLS\]\s*(\[[\s\S]*\]|\{[\s\S]*?\}(?=\s*(?:\[TOOL_CALLS\]|<\/s>|$)))/g, text, ([, json = '']) =>
      callsIn(json, tools),
    ),
  // Llama 3: a semicolon separates several calls.
  (text, tools) =>
    matches(/<\|python_tag\|>\s*(\{[\s\S]*\})/g, text, ([, json = '']) => {
      const one = callsIn(json, tools);
      return one.length > 0 ? one : callsIn(`[${json.replaceAll(/\}\s*;\s*\{/g, '},{')}]`, tools);
    }),
  ...NAMED_FORMATS.map(({ pattern, read }): Reader => {
    return (text, tools) =>
      matches(pattern, text, (match) => {
        const written = [read(match) ?? []].flat();
        const calls = written.flatMap(({ name, args }) => callTo(name, args, tools));
        return calls.length === written.length ? calls : [];
      });
  }),
];

const READERS: readonly Reader[] = [
  ...MARKED,
  // The whole answer is one object or list, or one fenced block of it.
  (text, tools) => {
    const calls = callsIn(unfenced(text), tools);
    return calls.length === 0 ? [] : [{ start: 0, end: text.length, calls }];
  },
];

function matches(
  pattern: RegExp,
  text: string,
  read: (match: RegExpExecArray) => readonly Omit<ToolCall, 'id'>[],
): readonly Found[] {
  const found: Found[] = [];
  for (const match of text.matchAll(pattern)) {
    const calls = read(match);
    if (calls.length > 0) found.push({ start: match.index, end: match.index + match[0].length, calls });
  }
  return found;
}

/** Returns the text without the code fence around it. */
function unfenced(text: string): string {
  const lines = text.trim().split('\n');
  const isFenced =
    lines.length > 2 &&
    /^```(json5?|jsonc|tool_call|tool|xml)?\s*$/.test(lines[0] ?? '') &&
    lines.at(-1)?.trim() === '```';
  return (isFenced ? lines.slice(1, -1).join('\n') : text).trim();
}

/** Parses one call, or a list of them. All must be readable, because the meaning of half a list is uncertain. */
function callsIn(json: string, tools: ReadonlySet<string>): readonly Omit<ToolCall, 'id'>[] {
  if (!/^[{[]/.test(json)) return [];
  const wrapped = json.startsWith('[') ? readObject(`{"calls":${json}}`)?.value['calls'] : [readObject(json)?.value];
  if (!Array.isArray(wrapped) || wrapped.length === 0) return [];
  const [only] = wrapped as readonly unknown[];
  const listed = wrapped.length === 1 && isRecord(only) ? only['tool_calls'] : undefined;
  if (Array.isArray(listed)) return callsIn(JSON.stringify(listed), tools);
  const calls = wrapped.flatMap((value: unknown) => callOf(value, tools));
  return calls.length === wrapped.length ? calls : [];
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function callOf(value: unknown, tools: ReadonlySet<string>): readonly Omit<ToolCall, 'id'>[] {
  if (typeof value !== 'object' || value === null) return [];
  const call = value as Record<string, unknown>;
  if (typeof call['function'] === 'object') return callOf(call['function'], tools);
  const name = call['name'] ?? call['tool'] ?? call['tool_name'] ?? call['function'];
  const args = call['arguments'] ?? call['parameters'] ?? call['args'] ?? call['input'];
  if (typeof name !== 'string' || args === undefined || args === null) return [];
  const object = typeof args === 'string' ? readObject(args)?.value : args;
  if (typeof object !== 'object' || object === null || Array.isArray(object)) return [];
  if (isSchema(object as Record<string, unknown>)) return [];
  return callTo(name, object as Record<string, unknown>, tools);
}

function callTo(
  name: string,
  args: Readonly<Record<string, unknown>>,
  tools: ReadonlySet<string>,
): readonly Omit<ToolCall, 'id'>[] {
  const known = resolveToolName(name, tools);
  return known === null ? [] : [{ name: known, arguments: JSON.stringify(args) }];
}

/**
 * Returns the offered tool that a model means. The model may have written its exact name, a dot instead of two
 * underscores, or capitals.
 */
export function resolveToolName(name: string, tools: ReadonlySet<string>): string | null {
  const trimmed = plainName(name);
  const meant = [trimmed, trimmed.replace('.', '__'), trimmed.toLowerCase()];
  return meant.find((each) => tools.has(each)) ?? null;
}

function parametersOf(body: string): Readonly<Record<string, unknown>> | null {
  const trimmed = body.trim();
  if (trimmed === '') return {};
  if (trimmed.startsWith('{')) return readObject(trimmed)?.value ?? null;
  const args: Record<string, unknown> = {};
  let rest = trimmed;
  for (const match of trimmed.matchAll(/<parameter=([\w.-]{1,64})>\n?([\s\S]*?)\n?<\/parameter>/g)) {
    args[match[1] ?? ''] = match[2] ?? '';
    rest = rest.replace(match[0], '');
  }
  return rest.trim() === '' ? args : null;
}

function isSchema(object: Readonly<Record<string, unknown>>): boolean {
  return object['type'] === 'object' && typeof object['properties'] === 'object';
}

/** Whether the whole answer is a description of an offered tool, or its schema. */
function isSchemaEcho(text: string, tools: ReadonlySet<string>): boolean {
  const body = unfenced(text);
  const value = body.startsWith('{') ? readObject(body)?.value : undefined;
  if (value === undefined) return false;
  const inner = (typeof value['function'] === 'object' ? value['function'] : value) as Record<string, unknown>;
  if (isSchema(inner)) return true;
  const { name, parameters } = inner;
  if (typeof name !== 'string' || resolveToolName(name, tools) === null) return false;
  return typeof parameters === 'object' && parameters !== null && isSchema(parameters as Record<string, unknown>);
}
