import { describe, expect, it } from '@jest/globals';
import { parseMemoryFile } from './jsonl.js';

const FILE = `{"meta":{"version":1}}
{"id":1,"ts":"2026-05-13T19:01:01Z","kind":"fact","content":"User prefers terse responses; no end-of-turn summaries."}
{"id":2,"ts":"2026-05-13T19:01:35Z","kind":"pref","content":"Default to :model deep for code reasoning tasks.","mood":{"a":[1]}}
{"id":3,"ts":"2026-05-13T19:02:00Z","kind":"context","content":"Current project: aish (LuaJIT REPL with MCP tools).","tags":["aish","luajit"]}
not json

{"id":4,"ts":"2026-05-13T20:00:00Z","kind":"forget","target":2}
{"id":0,"ts":"2026-05-13T20:00:00Z","kind":"fact","content":"x"}
{"id":5,"ts":"yesterday","kind":"fact","content":"x"}
{"id":6,"ts":"2026-05-13T20:00:00Z","kind":"song","content":"x"}
{"id":3,"ts":"2026-05-13T20:00:00Z","kind":"fact","content":"again"}
[1]`;

describe('parseMemoryFile', () => {
  it('parseMemoryFile parses all kinds of lines, and names unreadable ones', () => {
    const { entries, broken } = parseMemoryFile(FILE, 'alice');
    expect(entries.map(({ line, number, kind, target }) => [line, number, kind, target])).toEqual([
      [2, 1, 'fact', null],
      [3, 2, 'pref', null],
      [4, 3, 'context', null],
      [7, 4, 'forget', 2],
    ]);
    expect(entries[1]?.extra).toEqual({ mood: { a: [1] } });
    expect(entries[2]).toMatchObject({ tags: ['aish', 'luajit'], by: 'alice', origin: 'imported' });
    expect(broken.map(({ line }) => line)).toEqual([5, 8, 9, 10, 11, 12]);
    expect(broken[0]?.reason).toBe('not JSON');
    expect(broken[4]?.reason).toBe('number 3 occurs earlier');
  });
});
