import { ACTION_CALLS, plainName } from './action-calls.js';
import { readPythonCalls, type WrittenCall } from './python-calls.js';
import { readObject } from './repair-json.js';

/**
 * A format of calls in text: how to find and parse them. `null` means that the text contains no such call after all.
 */
export interface CallFormat {
  readonly pattern: RegExp;
  readonly read: (match: RegExpExecArray) => WrittenCall | readonly WrittenCall[] | null;
}

/**
 * Formats with a name before the arguments, from the chat templates of model makers: Mistral from version 11, harmony
 * (gpt-oss), Gemma 4, GLM, LFM 2, Muse and others with tagged arguments, DeepSeek, Kimi, and names followed by
 * arguments in brackets. Their opening markers never occur by chance.
 */
export const NAMED_FORMATS: readonly CallFormat[] = [
  // Mistral: [TOOL_CALLS]name[ARGS]{…}. Some versions have an ID between them, or nothing.
  {
    pattern:
      /\[TOOL_CALLS\]\s*([\w.-]{1,64})\s*(?:\[CALL_ID\][\w-]*)?\s*(?:\[ARGS\])?\s*(\{[\s\S]*?\})\s*(?=\[TOOL_CALLS\]|<\/s>|$)/g,
    read: (match) => jsonCall(match[1], match[2]),
  },
  // harmony: <|channel|>commentary to=functions.name <|constrain|>json<|message|>{…}<|call|>
  {
    pattern:
      /(?:<\|start\|>assistant)?<\|channel\|>(?:commentary|analysis)\s+to=([\w.-]{1,80})\s*(?:<\|constrain\|>)?\s*(?:json|code)?\s*<\|message\|>\s*(\{[\s\S]*?\})\s*(?:<\|call\|>|$)/g,
    read: (match) => jsonCall(match[1], match[2]),
  },
  // This is the same format, with the tool next to the role.
  {
    pattern:
      /(?:<\|start\|>)?assistant\s+to=([\w.-]{1,80})\s*<\|channel\|>(?:commentary|analysis)\s*(?:<\|constrain\|>)?\s*(?:json|code)?\s*<\|message\|>\s*(\{[\s\S]*?\})\s*(?:<\|call\|>|$)/g,
    read: (match) => jsonCall(match[1], match[2]),
  },
  // Gemma 4: <|tool_call>call:name{key:<|"|>value<|"|>}<tool_call|>
  {
    pattern: /<\|tool_call>\s*call:([\w.-]{1,64})(\{[\s\S]*?\})\s*(?:<tool_call\|>|<turn\|>|$)/g,
    read: (match) => namedArgs(match[1], gemmaArgs(match[2] ?? '')),
  },
  // GLM: <tool_call>name<arg_key>key</arg_key><arg_value>value</arg_value></tool_call>
  {
    pattern:
      /<tool_call>\s*([\w.-]{1,64})\s*((?:<arg_key>[^<]{1,64}<\/arg_key>\s*<arg_value>[\s\S]*?<\/arg_value>\s*)*)<\/tool_call>/g,
    read: (match) =>
      bareArgs(match[1], pairs(match[2] ?? '', /<arg_key>([^<]+)<\/arg_key>\s*<arg_value>([\s\S]*?)<\/arg_value>/g)),
  },
  // LFM 2: <|tool_call_start|>[name(key="value"), other(n=5)]<|tool_call_end|>
  {
    pattern: /<\|tool_call_start\|>\s*(\[[\s\S]*?\)\s*\])\s*(?:<\|tool_call_end\|>|$)/g,
    read: (match) => readPythonCalls(match[1] ?? ''),
  },
  // Muse: <atem:function_calls><atem:invoke name="…"><atem:parameter name="…">…</atem:parameter></atem:invoke>. MiniMax
  // and others use no prefix or another one.
  {
    pattern:
      /(?:<(?:\w+:)?(?:function_calls|tool_call)>\s*)?<(?:\w+:)?invoke name="([\w.-]{1,80})">([\s\S]*?)<\/(?:\w+:)?invoke>(?:\s*<\/(?:\w+:)?(?:function_calls|tool_call)>)?/g,
    read: (match) => bareArgs(match[1], parameters(match[2] ?? '')),
  },
  // DeepSeek: <｜tool▁call▁begin｜>function<｜tool▁sep｜>name, then JSON in a fence; from V3.1 on name<｜tool▁sep｜>JSON.
  {
    pattern:
      /(?:<｜tool▁calls▁begin｜>\s*)?<｜tool▁call▁begin｜>(?:function<｜tool▁sep｜>)?([\w.-]{1,64})(?:<｜tool▁sep｜>)?\s*(?:```json)?\s*(\{[\s\S]*?\})\s*(?:```)?\s*<｜tool▁call▁end｜>(?:\s*<｜tool▁calls▁end｜>)?/g,
    read: (match) => jsonCall(match[1], match[2]),
  },
  // Kimi K2: <|tool_call_begin|>functions.name:0<|tool_call_argument_begin|>{…}<|tool_call_end|>
  {
    pattern:
      /(?:<\|tool_calls_section_begin\|>\s*)?<\|tool_call_begin\|>\s*([\w.-]{1,80})(?::\d+)?\s*<\|tool_call_argument_begin\|>\s*(\{[\s\S]*?\})\s*<\|tool_call_end\|>(?:\s*<\|tool_calls_section_end\|>)?/g,
    read: (match) => jsonCall(match[1], match[2]),
  },
  // Llama 3 with user tools: <function=name>{…}</function>. Qwen uses this form too, but for Llama it ends the answer.
  {
    pattern: /<function=([\w.-]{1,64})>\s*(\{[\s\S]*\})\s*$/g,
    read: (match) => jsonCall(match[1], match[2]),
  },
  // Gemma 3: ```tool_code and a call in Python syntax. Llama 4: the same in brackets, without other text.
  {
    pattern: /```tool_(?:code|call)\s*\n\s*(?:print\(([\s\S]*?)\)|([\s\S]*?))\s*\n?```/g,
    read: (match) => readPythonCalls(match[1] ?? match[2] ?? ''),
  },
  // A list of calls, or one call without the brackets, and no other text.
  {
    pattern: /^\s*(\[?\s*[\w.-]{1,64}\([\s\S]*\)\s*\]?)\s*$/g,
    read: (match) => readPythonCalls(match[1] ?? ''),
  },
  // ReAct: Action: name, then Action Input: JSON, or the plain command.
  {
    pattern:
      /^[ \t]*Action:[ \t]*([\w.-]{1,64})[ \t]*\r?\n[ \t]*Action Input:[ \t]*([\s\S]+?)[ \t]*(?=\r?\n[ \t]*Observation:|$(?![\r\n]))/gm,
    read: (match) =>
      jsonCall(match[1], match[2]) ??
      (match[2]?.includes('\n') === true
        ? null
        : namedArgs(match[1], { command: (match[2] ?? '').replace(/^"(.*)"$/, '$1') })),
  },
  // Cline and similar: <execute_command><command>…</command></execute_command>
  {
    pattern:
      /<(execute_command|write_to_file|read_file|list_files|attempt_completion|ask_followup_question)>\s*([\s\S]*?)<\/\1>/g,
    read: (match) => namedArgs(match[1], children(match[2] ?? '')),
  },
  // functions.name({…}) and functions.name(key="value"), without other text on its lines.
  {
    pattern: /^[ \t]*functions\.([\w.-]{1,64})\(([\s\S]*?)\)[ \t]*;?[ \t]*$/gm,
    read: (match) => jsonCall(match[1], match[2]) ?? readPythonCalls(`${match[1] ?? ''}(${match[2] ?? ''})`),
  },
  // functions.name followed by JSON on the same or the next line, at the end of the answer.
  {
    pattern: /^[ \t]*(?:to=)?functions\.([\w.-]{1,64}?)(?::\d+)?\s*(\{[\s\S]*\})\s*(?![\s\S])/gm,
    read: (match) => jsonCall(match[1], match[2]),
  },
];

function jsonCall(name: string | undefined, json: string | undefined): WrittenCall | null {
  const args = json?.trim().startsWith('{') === true ? readObject(json, true)?.value : undefined;
  return name === undefined || args === undefined ? null : { name, args };
}

function namedArgs(name: string | undefined, args: Readonly<Record<string, unknown>> | null): WrittenCall | null {
  return name === undefined || args === null ? null : { name, args };
}

/**
 * Converts values between tags, which have no quotes. aish's own actions take only texts, and other tools take any
 * JSON.
 */
function bareArgs(name: string | undefined, args: Readonly<Record<string, unknown>> | null): WrittenCall | null {
  if (name === undefined || args === null) return null;
  return { name, args: bareValues(name, args) };
}

/**
 * Converts bare values. Numbers, booleans, objects and lists are parsed as JSON. Everything else is text. A file that
 * an action writes may be JSON and stays text.
 */
export function bareValues(name: string, args: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  if (ACTION_CALLS.has(plainName(name).toLowerCase())) return args;
  return Object.fromEntries(Object.entries(args).map(([key, value]) => [key, scalar(value)]));
}

function scalar(value: unknown): unknown {
  if (typeof value !== 'string' || !/^(-?\d+(\.\d+)?|true|false|null|[[{][\s\S]*[\]}])$/.test(value)) return value;
  try {
    return JSON.parse(value) as unknown;
  } catch {
    return value; // The value looked like JSON but is not.
  }
}

/** Reads `<parameter name="key">value</parameter>`, with or without a prefix. Any other text makes the result null. */
function parameters(text: string): Readonly<Record<string, unknown>> | null {
  const pattern = /<(?:\w+:)?parameter name="([\w.-]{1,64})"(?: [^>]{0,80})?>\n?([\s\S]*?)\n?<\/(?:\w+:)?parameter>/g;
  return text.replaceAll(pattern, '').trim() === '' ? pairs(text, pattern) : null;
}

/** Reads `<key>value</key>`. Any other text makes the result null. */
function children(text: string): Readonly<Record<string, unknown>> | null {
  const pattern = /<(\w{1,64})>\n?([\s\S]*?)\n?<\/\1>/g;
  const { requires_approval: _asked, ...args } = pairs(text, pattern);
  return text.replaceAll(pattern, '').trim() === '' ? args : null;
}

function pairs(text: string, pattern: RegExp): Readonly<Record<string, unknown>> {
  return Object.fromEntries([...text.matchAll(pattern)].map((match) => [(match[1] ?? '').trim(), match[2] ?? '']));
}

/** Reads Gemma's arguments. Gemma quotes texts with its own token, and does not quote names. */
function gemmaArgs(text: string): Readonly<Record<string, unknown>> | null {
  const pieces = text.split('<|"|>');
  if (pieces.length % 2 === 0) return null;
  const json = pieces.map((piece, at) =>
    at % 2 === 1 ? JSON.stringify(piece) : piece.replaceAll(/([A-Za-z_][\w-]*)\s*:/g, '"$1":'),
  );
  return readObject(json.join(''), true)?.value ?? null;
}
