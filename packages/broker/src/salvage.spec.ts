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
  ])('reads the form of %s', (_form, text) => {
    expect(callsOf(text)).toEqual([read]);
  });

  it('keeps the words around a call and takes several in order', () => {
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
    ['half a list', '[TOOL_CALLS] [{"name": "note", "arguments": {}}, {"name": "rm", "arguments": {}}]'],
  ])('takes no call out of %s', (_what, text) => {
    expect(salvage(text, TOOLS)).toMatchObject({ text, calls: [] });
  });

  it.each([
    '{"type":"function","function":{"name":"note","description":"d","parameters":{"type":"object","properties":{"n":{"type":"number"}}}}}',
    '{"name":"note","parameters":{"type":"object","properties":{}}}',
    '```json\n{"type":"object","properties":{"n":{"type":"number"}},"required":["n"]}\n```',
  ])('knows a schema that was echoed as prose: %s', (text) => {
    expect(salvage(text, TOOLS)).toEqual({ text, calls: [], isSchemaEcho: true });
  });

  it.each([
    ['at the end', 'I need it.\n<tool_call>{"name":"note","arguments":{"n":1}}</tool_call>\n', 1],
    ['not closed', '<tool_call>{"name":"note","arguments":{"n":1}', 0],
    ['that is only thought about', '<tool_call>{"name":"note","arguments":{}}</tool_call> would do, or not.', 0],
    ['that is plain JSON', '{"name":"note","arguments":{}}', 0],
  ])('takes of thoughts a call %s', (_, thoughts, calls) => {
    expect(salvageThoughts(thoughts, TOOLS)).toHaveLength(calls);
  });

  it('ends soon, for any text', () => {
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
    const before = performance.now();
    for (const hard of [
      '[TOOL_CALLS]a{',
      '<|channel|>commentary to=a<|message|>{',
      '<|tool_call>call:a{',
      '<tool_call>a<arg_key>b</arg_key><arg_value>',
      '<|tool_call_start|>[a(',
      'functions.a(\n',
      '<function=note>',
      '[TOOL_CALLS] [',
      '<tool_call>{',
      '{"a":[',
      ', ',
      '}',
    ]) {
      salvage(hard.repeat(64_000 / hard.length), TOOLS);
    }
    expect(performance.now() - before).toBeLessThan(20_000);
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
  ])('reads %s', (text, value) => {
    expect(readObject(text)?.value).toEqual(value);
  });

  it.each(['[1]', '1', 'a', '{"a":"b', '{"a" 1}', '{a:1}', "{'a':1}"])('does not guess at %s', (text) => {
    expect(readObject(text)).toBeNull();
  });

  it('does not close what was cut short', () => {
    expect(readObject('{"path":"/a","text":[1', true)).toBeNull();
  });

  it('leaves any JSON object as it is, and gives back what it mended as JSON would', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (value) => {
        const text = JSON.stringify(value);
        expect(readObject(text)).toEqual({ value: JSON.parse(text), isMended: false });
        expect(readObject(`{}${text}`)?.value).toEqual(JSON.parse(text));
      }),
    );
  });
});
