import { describe, expect, it } from '@jest/globals';
import type { ToolSpec } from '@aish/contracts/tools';
import { CALL, FIND, READ, answerBuiltIn, targetOf } from './built-in.js';

const spec = (name: string, description: string): ToolSpec => ({
  name,
  label: name.replace('__', '.'),
  description,
  inputSchema: { type: 'object', properties: {} },
  annotations: {},
  trusted: false,
});
const specs = [spec('fs__read_file', 'Reads a file.'), spec('lab__ring_bell', 'Rings the bell of the lab.')];
const long = Array.from({ length: 3_000 }, (_, n) => `line ${n}`).join('\n');
const ask = async (tool: ToolSpec, args: Record<string, unknown>) =>
  answerBuiltIn(tool, args, specs, (handle) => Promise.resolve(handle === 'r-1' ? long : null));

describe('aish’s own tools', () => {
  it('tool_search finds tools by their purpose, and returns their names', async () => {
    const { result, found } = await ask(FIND, { query: 'bells' });
    expect(found).toEqual(['lab__ring_bell']);
    expect(result.text).toMatch(/^Found, best first.*\n\{"name":"lab__ring_bell"/);
    expect((await ask(FIND, { query: 'weather' })).result.text).toContain('There are 2 tools; try other words');
  });

  it('result_read reads a stored text page by page to its end', async () => {
    let offset = 0;
    let read = '';
    for (let n = 0; n < 20; n += 1) {
      const [head, ...rest] = (await ask(READ, { handle: 'r-1', offset })).result.text.split('\n');
      read += rest.join('\n');
      const next = /go on with offset (\d+)/.exec(head ?? '');
      if (next === null) break;
      offset = Number(next[1]);
    }
    expect(read).toBe(long);
  });

  it('result_read finds a phrase in a stored result, and reports a missing phrase or result', async () => {
    const { text } = (await ask(READ, { handle: 'r-1', find: 'line 2500' })).result;
    expect(text).toContain('line 2500');
    expect(text).not.toContain('line 10\n');
    expect((await ask(READ, { handle: 'r-1', find: 'nowhere' })).result.text).toMatch(/not found after character 0/);
    expect((await ask(READ, { handle: 'r-2' })).result).toMatchObject({ isError: true });
  });

  it.each<[string, string, unknown]>([
    ['arguments as an object', '{"name":"a","arguments":{"b":1}}', { name: 'a', arguments: '{"b":1}' }],
    ['arguments as a text', '{"name":"a","arguments":"{\\"b\\":1}"}', { name: 'a', arguments: '{"b":1}' }],
    ['no arguments', '{"name":"a"}', { name: 'a', arguments: '{}' }],
  ])('tool_call calls a found tool: %s', (_, text, call) => {
    expect(targetOf({ id: 'c', name: CALL.name, arguments: text })).toEqual({ call: { id: 'c', ...(call as object) } });
  });

  it.each(['{', '{}', 'null', `{"name":"${CALL.name}"}`, '{"name":7}'])(
    'tool_call explains a mistake to the model: %s',
    (text) => {
      expect(targetOf({ id: 'c', name: CALL.name, arguments: text })).toMatchObject({
        fault: expect.stringContaining('"name": "a_tool"'),
      });
    },
  );
});
