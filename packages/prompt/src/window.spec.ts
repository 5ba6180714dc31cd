import { describe, expect, it } from '@jest/globals';
import type { ShownTurn } from '@aish/contracts/sessions';
import * as fc from 'fast-check';
import { composeWindow } from './compose.js';

const call = (n: number) => ({ id: `c${n}`, name: 'a__b', arguments: `{"n":${n}}` });
const exchange = (n: number, size: number, tools: boolean): readonly Omit<ShownTurn, 'seq'>[] => [
  { role: 'user', content: `question ${n} ${'q'.repeat(size)}` },
  ...(tools
    ? ([
        { role: 'assistant', content: '', meta: { toolCalls: [call(n), call(n + 1_000)] } },
        { role: 'tool', content: `result ${n} ${'r'.repeat(size)}`, meta: { toolCallId: `c${n}`, toolName: 'a__b' } },
        { role: 'tool', content: 'second', meta: { toolCallId: `c${n + 1_000}`, toolName: 'a__b' } },
      ] satisfies Omit<ShownTurn, 'seq'>[])
    : []),
  { role: 'assistant', content: `answer ${n} ${'a'.repeat(size)}` },
];
const turnsOf = (parts: readonly (readonly Omit<ShownTurn, 'seq'>[])[]): readonly ShownTurn[] =>
  parts.flat().map((turn, at) => ({ ...turn, seq: at + 1 }));
const window = (turns: readonly ShownTurn[], more: object = {}) =>
  composeWindow({ system: 'S', turns, budgetTokens: 2_000, keepsFirst: false, ...more });

describe('composeWindow', () => {
  it('results follow their calls in a window, and a call without a result gets one', () => {
    const turns = turnsOf([
      [
        { role: 'user', content: 'q' },
        { role: 'assistant', content: 'w', meta: { toolCalls: [call(1), call(2)] } },
        { role: 'tool', content: 'two', meta: { toolCallId: 'c2' } },
        { role: 'notice', content: '[aish] stopped' },
      ],
    ]);
    expect(window(turns).slice(2)).toEqual([
      { role: 'assistant', content: 'w', toolCalls: [call(1), call(2)] },
      { role: 'tool', content: expect.stringContaining('no result'), toolCallId: 'c1', toolName: 'a__b' },
      { role: 'tool', content: 'two', toolCallId: 'c2', toolName: 'a__b' },
      { role: 'user', content: '[aish] stopped' },
    ]);
  });

  it('a window of any chat begins with a message of a person, contains whole pairs within its limits, and rarely moves', () => {
    fc.assert(
      fc.property(
        fc.array(fc.record({ size: fc.integer({ min: 1, max: 900 }), tools: fc.boolean() }), {
          minLength: 1,
          maxLength: 60,
        }),
        fc.option(fc.integer({ min: 1, max: 12 })),
        (shapes, maxTurns) => {
          const parts = shapes.map(({ size, tools }, n) => exchange(n, size, tools));
          let before: readonly unknown[] = [];
          let jumps = 0;
          for (let count = 1; count <= parts.length; count += 1) {
            const now = window(turnsOf(parts.slice(0, count)), { maxTurns });
            const [system, first] = now;
            expect([system?.role, first?.role]).toEqual(['system', 'user']);
            const open = new Set<string>();
            for (const message of now) {
              if (message.role === 'tool') expect(open.delete(message.toolCallId ?? '')).toBe(true);
              else expect(open.size).toBe(0);
              for (const each of message.toolCalls ?? []) open.add(each.id);
            }
            expect(open.size).toBe(0);
            expect(now.reduce((sum, { content }) => sum + content.length / 3 + 8, 0)).toBeLessThan(2_400);
            expect(now.filter(({ role }) => role === 'user').length).toBeLessThanOrEqual(maxTurns ?? 99);
            expect(now.some(({ content }) => content.startsWith(`answer ${count - 1} `))).toBe(true);
            if (JSON.stringify(now.slice(0, before.length)) !== JSON.stringify(before)) jumps += 1;
            before = now;
          }
          expect(jumps).toBeLessThanOrEqual(
            1 +
              Math.ceil(
                parts.length / (maxTurns === 1 ? 1 : maxTurns === null ? 1.2 : Math.max(1, Math.ceil(maxTurns * 0.4))),
              ) +
              parts.length / 2,
          );
        },
      ),
      { numRuns: 200 },
    );
  });

  it('the oldest calls of a long chain are dropped, but never the question that began the chain', () => {
    const chain = Array.from({ length: 30 }, (_, n): readonly Omit<ShownTurn, 'seq'>[] => [
      { role: 'assistant', content: '', meta: { toolCalls: [call(n)] } },
      { role: 'tool', content: `result ${n} ${'r'.repeat(600)}`, meta: { toolCallId: `c${n}` } },
    ]);
    const now = window(turnsOf([[{ role: 'user', content: 'the question' }], ...chain]));
    expect(now[1]?.content).toContain('the question');
    expect(now.at(-1)?.content).toContain('result 29');
    expect(now.length).toBeLessThan(30);
  });

  it('a text that alone is too large for the window loses its middle', () => {
    const now = window(turnsOf([[{ role: 'user', content: `start ${'x'.repeat(50_000)} end` }]]));
    expect(now[1]?.content).toMatch(/^start[\s\S]*left out[\s\S]*end$/);
    expect((now[1]?.content.length ?? 0) / 3).toBeLessThan(2_000);
  });
});
