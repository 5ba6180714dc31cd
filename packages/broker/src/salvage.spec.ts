import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { readObject } from './repair-json.js';
import { salvage, salvageThoughts } from './salvage.js';

const TOOLS = new Set(['fs__read_file', 'note']);
const callsOf = (text: string) => salvage(text, TOOLS).calls;
const read = { name: 'fs__read_file', arguments: '{"path":"a.txt"}' };

describe('salvage', () => {
  it.each([
    ['Hermes', '<tool_call>\n{"name": "fs__read_file", "arguments": {"path": "a.txt"}}\n</tool_call>'],
    ['Hermes, not closed', 'I look.\n<tool_call>{"name": "fs__read_file", "arguments": {"path": "a.txt"}}'],
    ['Mistral', '[TOOL_CALLS] [{"name": "fs__read_file", "arguments": {"path": "a.txt"}}]'],
    ['Llama', '<|python_tag|>{"name": "fs__read_file", "parameters": {"path": "a.txt"}}'],
    [
      'Qwen3-Coder',
      '<tool_call>\n<function=fs__read_file>\n<parameter=path>\na.txt\n</parameter>\n</function>\n</tool_call>',
    ],
    ['Functionary', '<function=fs__read_file>{"path": "a.txt"}</function>'],
    ['a fenced block alone', '```json\n{"name": "fs__read_file", "arguments": {"path": "a.txt"}}\n```'],
    [
      'OpenAI’s own form',
      '{"type":"function","function":{"name":"fs__read_file","arguments":"{\\"path\\":\\"a.txt\\"}"}}',
    ],
    ['Mistral from version 11 on', '[TOOL_CALLS]fs__read_file[ARGS]{"path": "a.txt"}'],
    ['Mistral with an id', '[TOOL_CALLS]fs__read_file[CALL_ID]abc123456[ARGS]{"path": "a.txt"}</s>'],
    [
      'harmony',
      '<|channel|>commentary to=functions.fs__read_file <|constrain|>json<|message|>{"path": "a.txt"}<|call|>',
    ],
    ['Gemma', '<|tool_call>call:fs__read_file{path:<|"|>a.txt<|"|>}<tool_call|>'],
    ['GLM', '<tool_call>fs__read_file\n<arg_key>path</arg_key>\n<arg_value>a.txt</arg_value>\n</tool_call>'],
    ['LFM', '<|tool_call_start|>[fs__read_file(path="a.txt")]<|tool_call_end|>'],
    ['functions.NAME', 'I look.\nfunctions.fs__read_file({"path": "a.txt"})'],
    ['functions.NAME with named arguments', "functions.fs__read_file(path='a.txt')"],
    ['the name with a dot', '{"name": "fs.read_file", "arguments": {"path": "a.txt"}}'],
    ['a trailing comma', '<tool_call>{"name": "fs__read_file", "arguments": {"path": "a.txt",}}</tool_call>'],
  ])('salvage reads a call in the format of %s', (_form, text) => {
    expect(callsOf(text)).toEqual([read]);
  });

  const asked = { name: 'note', arguments: '{"text":"disk","n":5,"all":true,"tags":["a","b"]}' };
  it.each([
    ['Gemma', '<|tool_call>call:note{text:<|"|>disk<|"|>,n:5,all:true,tags:[<|"|>a<|"|>,<|"|>b<|"|>]}<tool_call|>'],
    ['LFM', '<|tool_call_start|>[note(text="disk", n=5, all=True, tags=["a", \'b\'])]<|tool_call_end|>'],
    [
      'GLM',
      '<tool_call>note<arg_key>text</arg_key><arg_value>disk</arg_value><arg_key>n</arg_key><arg_value>5</arg_value><arg_key>all</arg_key><arg_value>true</arg_value><arg_key>tags</arg_key><arg_value>["a","b"]</arg_value></tool_call>',
    ],
    [
      'Muse',
      '<atem:invoke name="note"><atem:parameter name="text">disk</atem:parameter><atem:parameter name="n">5</atem:parameter><atem:parameter name="all">true</atem:parameter><atem:parameter name="tags">["a","b"]</atem:parameter></atem:invoke>',
    ],
  ])('salvage reads numbers, booleans and lists in the format of %s', (_, text) => {
    expect(callsOf(text)).toEqual([asked]);
  });

  const two = [
    { name: 'note', arguments: '{"n":1}' },
    { name: 'note', arguments: '{"n":2}' },
  ];
  it.each([
    ['LFM', '<|tool_call_start|>[note(n=1), note(n=2)]<|tool_call_end|>'],
    ['LFM in JSON', '<|tool_call_start|>[{"name":"note","arguments":{"n":1}},{"name":"note","arguments":{"n":2}}]'],
    ['Gemma', '<|tool_call>call:note{n:1}<tool_call|><|tool_call>call:note{n:2}<tool_call|>'],
    ['Llama', '<|python_tag|>{"name":"note","parameters":{"n":1}}; {"name":"note","parameters":{"n":2}}'],
    ['Mistral', '[TOOL_CALLS]{"name":"note","arguments":{"n":1}}[TOOL_CALLS]{"name":"note","arguments":{"n":2}}</s>'],
  ])('salvage reads two calls in the format of %s', (_, text) => {
    expect(callsOf(text)).toEqual(two);
  });

  it.each([
    [
      'Qwen3-Coder without the end of the function',
      '<tool_call>\n<function=fs__read_file>\n<parameter=path>\na.txt\n</parameter>\n</tool_call>',
    ],
    ['Qwen3-Coder without any end', '<function=fs__read_file>\n<parameter=path>\na.txt\n</parameter>\n'],
    [
      'harmony with the tool beside the role',
      '<|start|>assistant to=functions.fs__read_file<|channel|>commentary json<|message|>{"path": "a.txt"}<|call|>',
    ],
    ['functions.NAME above JSON', 'I look.\nfunctions.fs__read_file\n{"path": "a.txt"}'],
    ['functions.NAME with a number', 'functions.fs__read_file:0{"path": "a.txt"}'],
    ['one call as Python writes it', "fs__read_file(path='a.txt')"],
    ['Gemma with the end of the turn', '<|tool_call>call:fs__read_file{path:<|"|>a.txt<|"|>}<turn|>'],
  ])('salvage reads a call in this format: %s', (_, text) => {
    expect(callsOf(text)).toEqual([read]);
  });

  it('salvage does not change the text of a file that an action writes, even if it is JSON', () => {
    const text =
      '<function=write>\n<parameter=path>\na.json\n</parameter>\n<parameter=text>\n{"a": 1}\n</parameter>\n</function>';
    expect(salvage(text, new Set(['write'])).calls).toEqual([
      { name: 'write', arguments: '{"path":"a.json","text":"{\\"a\\": 1}"}' },
    ]);
  });

  it('salvage keeps the words around a call, and the order of several calls', () => {
    const text = `First this.\n<tool_call>{"name":"note","arguments":{"n":1}}</tool_call>\n<tool_call>{"name":"note","arguments":{"n":2}}</tool_call>`;
    expect(salvage(text, TOOLS)).toEqual({
      text: 'First this.',
      calls: [
        { name: 'note', arguments: '{"n":1}' },
        { name: 'note', arguments: '{"n":2}' },
      ],
      isSchemaEcho: false,
    });
  });

  it.each([
    ['an unknown tool', '<tool_call>{"name": "rm", "arguments": {}}</tool_call>'],
    ['an object within words', 'You could send {"name": "note", "arguments": {"n": 1}} to it.'],
    ['a fenced example within words', 'For example:\n```json\n{"name": "note", "arguments": {}}\n```\nThat is all.'],
    ['arguments that are a list', '<tool_call>{"name": "note", "arguments": [1]}</tool_call>'],
    ['arguments that are missing', '<tool_call>{"name": "note"}</tool_call>'],
    ['half a parameter', '<function=note>\n<parameter=n>\n1'],
    ['half a list of Python', '[note(n=1), rm(n=2)]'],
    ['a call with a variable', 'note(n=count)'],
    ['half a list', '[TOOL_CALLS] [{"name": "note", "arguments": {}}, {"name": "rm", "arguments": {}}]'],
  ])('salvage finds no call in %s', (_what, text) => {
    expect(salvage(text, TOOLS)).toMatchObject({ text, calls: [] });
  });

  it.each([
    '{"type":"function","function":{"name":"note","description":"d","parameters":{"type":"object","properties":{"n":{"type":"number"}}}}}',
    '{"name":"note","parameters":{"type":"object","properties":{}}}',
    '```json\n{"type":"object","properties":{"n":{"type":"number"}},"required":["n"]}\n```',
  ])('salvage recognizes a schema that was repeated as prose: %s', (text) => {
    expect(salvage(text, TOOLS)).toEqual({ text, calls: [], isSchemaEcho: true });
  });

  it.each([
    [
      'that is complete and at their end',
      'I need it.\n<tool_call>{"name":"note","arguments":{"n":1}}</tool_call>\n',
      1,
    ],
    ['only if it is closed', '<tool_call>{"name":"note","arguments":{"n":1}', 0],
    [
      'only if it is marked and at their end',
      '<tool_call>{"name":"note","arguments":{}}</tool_call> would do, or not.',
      0,
    ],
    ['only if it is marked', '{"name":"note","arguments":{}}', 0],
  ])('thoughts contain a call %s', (_, thoughts, calls) => {
    expect(salvageThoughts(thoughts, TOOLS)).toHaveLength(calls);
  });

  it('salvage finishes quickly for any text', () => {
    const piece = fc.constantFrom(
      '<tool_call>',
      '</tool_call>',
      '<function=note>',
      '</function>',
      '<parameter=a>',
      '</parameter>',
      '[TOOL_CALLS]',
      '<|python_tag|>',
      '[ARGS]',
      'functions.note(',
      ')',
      '<|channel|>commentary to=functions.note<|message|>',
      '<arg_key>a</arg_key><arg_value>',
      '<|tool_call_start|>[note(a="b"',
      '<|tool_call>call:note{a:<|"|>',
      'note(a=[',
      '{',
      '}',
      '[',
      ']',
      '"',
      '\\',
      ',',
      ':',
      ' ',
      '\n',
      '```json\n',
      '```',
      'note',
      'True',
      '1',
      '{"name":"note","arguments":{}}',
      'name',
      'arguments',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 200 }), (pieces) => {
        for (const { name, arguments: args } of callsOf(pieces.join(''))) {
          expect(TOOLS.has(name)).toBe(true);
          expect(typeof JSON.parse(args)).toBe('object');
        }
      }),
      { numRuns: 500 },
    );
    // Other suites may run beside this one, so only CPU time counts, in microseconds.
    const before = process.cpuUsage();
    for (const hard of [
      '[TOOL_CALLS]a{',
      '<|channel|>commentary to=a<|message|>{',
      '<|tool_call>call:a{',
      '<tool_call>a<arg_key>b</arg_key><arg_value>',
      '<|tool_call_start|>[a(',
      'functions.a(\n',
      'functions.a{',
      'note(a=[',
      '<function=note><parameter=a>',
      '<|tool_call>call:a{b:<|"|>',
      '<function=note>',
      '[TOOL_CALLS] [',
      '<tool_call>{',
      '{"a":[',
      ', ',
      '}',
    ]) {
      salvage(hard.repeat(64_000 / hard.length), TOOLS);
    }
    expect(process.cpuUsage(before).user).toBeLessThan(20_000_000);
  });
});

describe('readObject', () => {
  it.each([
    ['{"a":1}', { a: 1 }],
    ['', {}],
    ['{}{"a":1}', { a: 1 }],
    ['"{\\"a\\":1}"', { a: 1 }],
    ['```json\n{"a":1}\n```', { a: 1 }],
    ['{"a":1,}', { a: 1 }],
    ['{"a":[1,2,],}', { a: [1, 2] }],
    ['{"a":True,"b":None}', { a: true, b: null }],
    ['{"a":"True, and\nmore,}"}', { a: 'True, and\nmore,}' }],
    ['{"a":{"b":[1', { a: { b: [1] } }],
  ])('readObject reads the object in %s', (text, value) => {
    expect(readObject(text)?.value).toEqual(value);
  });

  it.each(['[1]', '1', 'a', '{"a":"b', '{"a" 1}', '{a:1}', "{'a':1}"])(
    'readObject does not guess the meaning of %s',
    (text) => {
      expect(readObject(text)).toBeNull();
    },
  );

  it('readObject does not close an object that was cut short', () => {
    expect(readObject('{"path":"/a","text":[1', true)).toBeNull();
  });

  it('readObject returns any JSON object unchanged, and repairs others to valid JSON', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (value) => {
        const text = JSON.stringify(value);
        expect(readObject(text)).toEqual({ value: JSON.parse(text), isMended: false });
        expect(readObject(`{}${text}`)?.value).toEqual(JSON.parse(text));
      }),
    );
  });
});
