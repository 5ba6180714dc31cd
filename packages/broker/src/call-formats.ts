import { readObject } from './repair-json.js';

/** A call as its text says, before it is known whether there is such a tool. */
interface WrittenCall {
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
}

/** A form of calls in text: where one stands, and how it is read. `null`: it is none after all. */
export interface CallFormat {
  readonly pattern: RegExp;
  readonly read: (match: RegExpExecArray) => WrittenCall | null;
}

/**
 * Forms with a name before the arguments, as chat templates of model makers write them: Mistral from version 11 on, harmony
 * (gpt-oss), Gemma 4, GLM, LFM 2, Muse and others that mark arguments with tags, DeepSeek, Kimi, and the name with the
 * arguments in brackets behind it. What opens them is never written by chance.
 */
export const NAMED_FORMATS: readonly CallFormat[] = [
  // Mistral: [TOOL_CALLS]name[ARGS]{…}, in some versions with an id between, or nothing at all.
  {
    pattern:
      /\[TOOL_CALLS\]\s*([\w.-]{1,64})\s*(?:\[CALL_ID\][\w-]*)?\s*(?:\[ARGS\])?\s*(\{[\s\S]*?\})\s*(?=\[TOOL_CALLS\]|<\/s>|$)/g,
    read: (match) => jsonCall(match[1], match[2]),
  },
  // harmony: <|channel|>commentary to=functions.name <|constrain|>json<|message|>{…}<|call|>
  {
    pattern:
      /(?:<\|start\|>assistant)?<\|channel\|>(?:commentary|analysis)\s+to=([\w.-]{1,80})\s*(?:<\|constrain\|>)?\s*(?:json)?\s*<\|message\|>\s*(\{[\s\S]*?\})\s*(?:<\|call\|>|$)/g,
    read: (match) => jsonCall(match[1], match[2]),
  },
  // Gemma 4: <|tool_call>call:name{key:<|"|>value<|"|>}<tool_call|>
  {
    pattern: /<\|tool_call>\s*call:([\w.-]{1,64})\{([\s\S]*?)\}\s*<tool_call\|>/g,
    read: (match) => namedArgs(match[1], gemmaArgs(match[2] ?? '')),
  },
  // GLM: <tool_call>name<arg_key>key</arg_key><arg_value>value</arg_value></tool_call>
  {
    pattern:
      /<tool_call>\s*([\w.-]{1,64})\s*((?:<arg_key>[^<]{1,64}<\/arg_key>\s*<arg_value>[\s\S]*?<\/arg_value>\s*)*)<\/tool_call>/g,
    read: (match) =>
      namedArgs(match[1], pairs(match[2] ?? '', /<arg_key>([^<]+)<\/arg_key>\s*<arg_value>([\s\S]*?)<\/arg_value>/g)),
  },
  // LFM 2: <|tool_call_start|>[name(key="value")]<|tool_call_end|>
  {
    pattern: /<\|tool_call_start\|>\s*\[\s*([\w.-]{1,64})\(([\s\S]*?)\)\s*\]\s*(?:<\|tool_call_end\|>|$)/g,
    read: (match) => namedArgs(match[1], pythonArgs(match[2] ?? '')),
  },
  // Muse: <atem:function_calls><atem:invoke name="…"><atem:parameter name="…">…</atem:parameter></atem:invoke>, MiniMax and
  // others the same without the prefix or with another one.
  {
    pattern:
      /(?:<(?:\w+:)?(?:function_calls|tool_call)>\s*)?<(?:\w+:)?invoke name="([\w.-]{1,80})">([\s\S]*?)<\/(?:\w+:)?invoke>(?:\s*<\/(?:\w+:)?(?:function_calls|tool_call)>)?/g,
    read: (match) => namedArgs(match[1], parameters(match[2] ?? '')),
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
  // Llama 3 with tools of its user: <function=name>{…}</function> is Qwen's; here it ends with the answer.
  {
    pattern: /<function=([\w.-]{1,64})>\s*(\{[\s\S]*\})\s*$/g,
    read: (match) => jsonCall(match[1], match[2]),
  },
  // Gemma 3: ```tool_code, and a call as Python writes it. Llama 4: the same in brackets, alone.
  {
    pattern: /```tool_(?:code|call)\s*\n\s*(?:print\()?([\w.-]{1,64})\(([\s\S]*?)\)\)?\s*\n?```/g,
    read: (match) => namedArgs(match[1], pythonArgs(match[2] ?? '')),
  },
  {
    pattern: /^\s*\[\s*([\w.-]{1,64})\(([\s\S]*?)\)\s*\]\s*$/g,
    read: (match) => namedArgs(match[1], pythonArgs(match[2] ?? '')),
  },
  // ReAct: Action: name, then Action Input: JSON, or the command as it is.
  {
    pattern:
      /^[ \t]*Action:[ \t]*([\w.-]{1,64})[ \t]*\r?\n[ \t]*Action Input:[ \t]*([\s\S]+?)[ \t]*(?=\r?\n[ \t]*Observation:|$(?![\r\n]))/gm,
    read: (match) =>
      jsonCall(match[1], match[2]) ??
      (match[2]?.includes('\n') === true
        ? null
        : namedArgs(match[1], { command: (match[2] ?? '').replace(/^"(.*)"$/, '$1') })),
  },
  // Cline and its kin: <execute_command><command>…</command></execute_command>
  {
    pattern:
      /<(execute_command|write_to_file|read_file|list_files|attempt_completion|ask_followup_question)>\s*([\s\S]*?)<\/\1>/g,
    read: (match) => namedArgs(match[1], children(match[2] ?? '')),
  },
  // functions.name({…}) and functions.name(key="value"), alone on its lines.
  {
    pattern: /^[ \t]*functions\.([\w.-]{1,64})\(([\s\S]*?)\)[ \t]*;?[ \t]*$/gm,
    read: (match) => jsonCall(match[1], match[2]) ?? namedArgs(match[1], pythonArgs(match[2] ?? '')),
  },
];

function jsonCall(name: string | undefined, json: string | undefined): WrittenCall | null {
  const args = json?.trim().startsWith('{') === true ? readObject(json, true)?.value : undefined;
  return name === undefined || args === undefined ? null : { name, args };
}

function namedArgs(name: string | undefined, args: Readonly<Record<string, unknown>> | null): WrittenCall | null {
  return name === undefined || args === null ? null : { name, args };
}

/** `<parameter name="key">value</parameter>`, with a prefix or without, and nothing else. */
function parameters(text: string): Readonly<Record<string, unknown>> | null {
  const pattern = /<(?:\w+:)?parameter name="([\w.-]{1,64})"(?: [^>]{0,80})?>\n?([\s\S]*?)\n?<\/(?:\w+:)?parameter>/g;
  return text.replaceAll(pattern, '').trim() === '' ? pairs(text, pattern) : null;
}

/** `<key>value</key>`, and nothing else. */
function children(text: string): Readonly<Record<string, unknown>> | null {
  const pattern = /<(\w{1,64})>\n?([\s\S]*?)\n?<\/\1>/g;
  const { requires_approval: _asked, ...args } = pairs(text, pattern);
  return text.replaceAll(pattern, '').trim() === '' ? args : null;
}

function pairs(text: string, pattern: RegExp): Readonly<Record<string, unknown>> {
  return Object.fromEntries([...text.matchAll(pattern)].map((match) => [(match[1] ?? '').trim(), match[2] ?? '']));
}

function gemmaArgs(text: string): Readonly<Record<string, unknown>> | null {
  const quote = '<|"|>';
  const args = pairs(text, /([\w-]{1,64}):<\|"\|>([\s\S]*?)<\|"\|>/g);
  const rest = Object.entries(args).reduce(
    (left, [key, value]) => left.replace(`${key}:${quote}${String(value)}${quote}`, ''),
    text,
  );
  return rest.replaceAll(/[\s,]/g, '') === '' ? args : null;
}

/** `key="value", other='text'`: texts alone. */
function pythonArgs(text: string): Readonly<Record<string, unknown>> | null {
  const pattern = /\s*(\w{1,64})\s*=\s*("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')\s*(?:,|$)/gy;
  const args: Record<string, unknown> = {};
  let end = 0;
  for (const match of text.matchAll(pattern)) {
    const quoted = match[2] ?? '';
    const inner = quoted.startsWith("'") ? quoted.slice(1, -1).replaceAll("\\'", "'") : undefined;
    const value = inner ?? readObject(`{"value":${quoted}}`)?.value['value'];
    if (typeof value !== 'string') return null;
    args[match[1] ?? ''] = value;
    end = match.index + match[0].length;
  }
  return text.slice(end).trim() === '' ? args : null;
}
