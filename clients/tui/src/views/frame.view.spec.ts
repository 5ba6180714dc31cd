import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Model } from '../model.js';
import { initialModel } from '../initial-model.js';
import { NOW_MS, decisionOf, eventOf, goalOf, sessionOf, uuid } from '@aish/client/testing/fixtures';
import { Play } from '../testing/play.js';
import { line, textOf } from '@aish/views/line';
import { lineWidth } from '@aish/views/text/fit';
import { update } from '../update.js';
import { KEYS } from '../update/keys/key-table.js';
import { frameOf } from './frame.view.js';
import { VIEWS } from '../view-id.js';

const SIZES = [
  [80, 24],
  [200, 50],
  [120, 40],
  [40, 10],
  [12, 5],
  [1, 1],
] as const;

function modelAt(cols: number, rows: number, text = 'find 日本 {bold}x{/bold} \u001b[31m👍'): Model {
  const start: Model = {
    ...initialModel({ server: 'http://127.0.0.1:7717', cols, rows, nowMs: NOW_MS, keys: KEYS }),
    view: 'goals',
  };
  const msgs = [
    { type: 'connected' },
    { type: 'goalsListed', goals: [goalOf(2, { text }), goalOf(1, { state: 'done', summary: text })] },
    {
      type: 'happened',
      sessionId: uuid(1002),
      event: eventOf(1, { type: 'goal.created', goalId: uuid(2), number: 2, text, preset: 'fast', stepBudget: 16 }),
    },
    {
      type: 'modelsListed',
      models: [{ preset: 'fast', baseUrl: 'http://m', model: 'demo', state: 'ready', detail: null, demo: true }],
    },
  ] as const;
  return msgs.reduce<Model>((model, msg) => update(model, msg, NOW_MS).model, start);
}

function screenOf(model: Model): string[] {
  return frameOf(model).lines.map(textOf);
}

const withHalt = (model: Model, change: Parameters<typeof decisionOf>[1] = {}) =>
  update(model, { type: 'decisionsListed', decisions: [decisionOf(7, change), decisionOf(8)] }, NOW_MS).model;
const typing = (model: Model): Model => ({
  ...model,
  isPromptOpen: true,
  prompt: { text: `one\n${'日'.repeat(300)}`, cursor: 304 },
});
const views = (model: Model): readonly Model[] => VIEWS.map(({ id }) => ({ ...model, view: id }));
const withPage = (model: Model): Model => ({
  ...model,
  overlay: { type: 'page', title: 'PAGE', top: 0, lines: [[{ text: 'x'.repeat(300), style: 'plain' }]], yes: null },
});

describe('a frame of the screen', () => {
  it.each(SIZES)('a frame fills a screen of %i by %i exactly, with any content', (cols, rows) => {
    const plain = modelAt(cols, rows);
    for (const model of [...views(plain), withHalt(plain), withPage(plain), typing(plain)]) {
      const { lines, cursor } = frameOf(model);
      expect(lines).toHaveLength(rows);
      expect(lines.map(lineWidth)).toEqual(lines.map(() => cols));
      expect(cursor === null || (cursor.col < cols && cursor.row < rows)).toBe(true);
    }
  });

  it('a frame is as wide as the screen, for any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (text) => {
        const { lines } = frameOf(
          withHalt(modelAt(80, 24, text), { action: text, context: text, classification: null }),
        );
        expect(lines.filter((each) => lineWidth(each) !== 80)).toEqual([]);
        expect(lines.map(textOf).join('')).not.toMatch(/[\p{Cc}\p{Cf}]/u);
      }),
    );
  });

  it('a frame shows goals, timeline, prompt and status at 80 by 24', () => {
    const screen = screenOf(modelAt(80, 24));
    expect(screen[0]).toContain(' 2 Goals ');
    expect(screen[1]).toMatch(/^─ GOALS 2 ─/);
    expect(screen[2]).toMatch(/^▸ {2}2 ● running {4}2\/16 {3}1m {2}find 日本 \{bold\}x\{\/bold\} 👍/);
    expect(screen[4]).toMatch(/^─ GOAL 2 running ─/);
    expect(screen[5]).toMatch(/^ goal 2 · fast · up to 16 steps/);
    expect(screen[22]).toMatch(/^ n new goal .* : command/);
    expect(screen[23]).toMatch(/^ 127\.0\.0\.1:7717 · online · demo model \(scripted\) .*\? help $/);
  });

  it.each([
    [120, 40],
    [80, 30],
  ])('a frame shows the latest events right above an open question, at %i by %i', (cols, rows) => {
    const text = Array.from({ length: 60 }, (_, n) => `line ${n}.`).join('\n\n');
    const step = { type: 'step.answered', goalId: uuid(2), step: 1, text, model: null, usage: null } as const;
    const told = { type: 'happened', sessionId: uuid(1002), event: eventOf(2, step) } as const;
    const { model } = update({ ...modelAt(cols, rows), decisions: [] }, told, NOW_MS);
    // The card in the list belongs to the selected goal.
    const halted = withHalt(model, { goalId: uuid(2) });
    const aboveOf = (screen: readonly string[], what: RegExp): string =>
      screen
        .slice(
          0,
          screen.findIndex((each) => what.test(each)),
        )
        .findLast((each) => /line \d/.test(each)) ?? '';
    expect(aboveOf(screenOf(model), /n new goal/)).toContain('line 59.');
    expect(aboveOf(screenOf(halted), /NORRIS HALT/)).toContain('line 59.');
    const back = update(halted, { type: 'key', key: 'escape', text: null }, NOW_MS).model;
    expect(aboveOf(screenOf(back), /n new goal/)).toContain('line 59.');
  });

  it('a frame highlights only the selected row, from end to end', () => {
    const lit = frameOf(modelAt(80, 24)).lines.map(
      (line) => lineWidth(line) > 0 && line.every(({ style }) => style === 'selected'),
    );
    expect(lit.flatMap((is, row) => (is ? [row] : []))).toEqual([2]);
  });

  it('a frame fills the screen if a panel opens over a search and a two-line prompt', () => {
    const play = new Play().send({ type: 'pasted', text: 'two\nlines' }).press('ctrl-r');
    const lines = [line('a'), line('b')];
    const { model } = play.send({ type: 'metaDone', title: ':x', lines, isGood: true, yes: null, candidates: 0 });
    expect(screenOf(model)).toHaveLength(model.size.rows);
  });

  it('a frame shows goals and timeline side by side if there is room', () => {
    expect(screenOf(modelAt(200, 50))[2]).toMatch(/^▸ {2}2 ● running.*│ goal 2 · fast/);
  });

  it('a frame shows a HALT with its step, reason and exact action', () => {
    const screen = screenOf(withHalt(modelAt(80, 24))).join('\n');
    expect(screen).toMatch(/NORRIS HALT {3}step 3\/16 +d7 · 1 of 2/);
    expect(screen).toContain('goal 1: goal text 1');
    expect(screen).toContain('reason: rm -rf (files.rm-recursive-force)');
    expect(screen).toContain('│   cd x && rm -rf build');
    expect(screen).toContain('Now I clean up.');
    expect(screen).toContain('p proceed  s skip  n instead  a abort  g grant  v preview  Esc later');
  });

  it("a HALT omits the command from the model's text only if it is exactly the action", () => {
    const wrote = (context: string) => screenOf(withHalt(modelAt(80, 24), { context })).join('\n');
    expect(wrote('Now.\n\nCMD: cd x && rm -rf build').match(/rm -rf build/g)).toHaveLength(1);
    expect(wrote('Now.\n\nCMD: cd x && rm -rf  build')).toContain('CMD: cd x && rm -rf  build');
  });

  it("a frame begins the model's text with a line that is not empty", () => {
    const context = `Now I look.\n\n${'line\n'.repeat(5)}`;
    const screen = screenOf(withHalt(modelAt(80, 24), { context }));
    const at = screen.findIndex((row) => row.includes('the model wrote:'));
    expect(screen[at + 1]).toMatch(/^│ {3}line /);
  });

  it('a HALT shows no thoughts of the model, even if their beginning is missing', () => {
    for (const context of ['<think>\nhm\n</think>\nNow I clean up.', 'hm\n</think>\nNow I clean up.']) {
      const screen = screenOf(withHalt(modelAt(80, 24), { context })).join('\n');
      expect(screen).toMatch(/the model wrote: +│\n│ {3}Now I clean up\./);
      expect(screen).not.toMatch(/think>|hm/);
    }
  });

  it("a HALT for a tool offers to grant the call, and quotes the tool's server separately from the model", () => {
    const action = 'lab.ring_bell {"times":2}';
    const context = 'Noon.\nlab.ring_bell with:\n{\n  "times": 2\n}\nIts server says of it:\n| Rings the bell.';
    const model = withHalt(modelAt(80, 40), { action, context, classification: null });
    const screen = screenOf(model).join('\n');
    expect(screen).toMatch(
      /the model wrote: +│\n│ {3}Noon\. +│\n│ the server describes the tool as: +│\n│ {3}Rings the bell\./,
    );
    const asked = [decisionOf(7, { action, context, classification: null })];
    const play = new Play().send({ type: 'decisionsListed', decisions: asked }).wait(500).alone('g');
    const granting = screenOf(play.model).join('\n');
    expect(granting).toContain('c  this exact call');
    expect(granting).toContain('so you can only grant the call');
    expect(granting).toContain('c this call');
  });

  it('a frame of 80 by 24 shows the complete welcome text', () => {
    const screen = screenOf({ ...modelAt(80, 24), view: 'chat' }).join('\n');
    expect(screen).toMatch(/Ctrl-N +to give Norris a goal/);
    expect(screen).not.toContain('…');
  });

  it('a frame marks the dangerous part of the action', () => {
    const spans = frameOf(withHalt(modelAt(80, 24))).lines.flat();
    expect(spans.filter(({ style }) => style === 'guilty')).toEqual([{ text: 'rm -rf build', style: 'guilty' }]);
  });

  it('a frame shows a long action completely, with hidden characters as escape codes', () => {
    const action = `echo ${'word '.repeat(60)}\u202e; rm -rf / #`;
    const screen = screenOf(withHalt(modelAt(80, 24), { action, classification: null }));
    const begin = screen.findIndex((row) => row.includes('action:'));
    const end = screen.findIndex((row) => row.includes('the model wrote:'));
    const shown = screen
      .slice(begin + 1, end)
      .map((row) => row.slice(4, -2))
      .join('');
    expect(shown.trimEnd()).toBe(action.replace('\u202e', '\\u{202e}'));
  });

  it('the banner shows how many decisions are open while the person types', () => {
    const model = {
      ...withHalt(modelAt(80, 24)),
      overlay: null,
      view: 'chat',
      prompt: { text: 'ls', cursor: 2 },
    } as const;
    expect(screenOf(model)[21]).toContain('2 pending decisions: Ctrl-D to answer');
  });

  it.each([80, 110])('a message appears beside the number of open decisions at %i columns', (cols) => {
    const text = 'rm -rf x is destructive: it deletes files that no undo brings back, says files.rm-recursive-force';
    const waits = { ...withHalt(modelAt(cols, 24)), overlay: null, view: 'chat' } as const;
    const banner = screenOf({ ...waits, flash: { text, style: 'plain', untilMs: waits.nowMs + 1 } })[21] ?? '';
    expect(banner).toContain(' 2: Ctrl-D ');
    expect(banner).toContain(text.slice(0, cols - 24));
  });

  it('a message is shown completely even if the chat has a long title', () => {
    const chat = {
      ...modelAt(80, 24).chat,
      session: sessionOf(1, { title: 'a title that takes all the room there is' }),
    };
    const model: Model = { ...modelAt(80, 24), view: 'chat', chat };
    expect(screenOf(model)[21]).toContain('a title that takes');
    const text = 'in a moment; any other key cancels';
    const said = update(model, { type: 'said', text, style: 'warn' }, NOW_MS).model;
    expect(screenOf(said)[21]).toContain(text);
  });

  it('the banner warns that the knowledge base was not pushed, except while another message is shown', () => {
    const attention = 'knowledge base: push rejected, 2 commits not pushed; aish kb doctor';
    const model = update(modelAt(80, 24), { type: 'attentionAsked', attention }, NOW_MS).model;
    expect(screenOf(model)[21]).toContain(attention);
    const said = update(model, { type: 'said', text: 'stopped', style: 'warn' }, NOW_MS).model;
    expect(screenOf(said)[21]).toMatch(/^─+ stopped ─$/);
    expect(screenOf(update(said, { type: 'tick' }, NOW_MS + 60_000).model)[21]).toContain(attention);
  });

  it('the prompt grows up to a third of the screen, and the cursor is always visible', () => {
    const text = `start\n${'日'.repeat(200)}`;
    const { lines, cursor } = frameOf({ ...modelAt(40, 12), view: 'chat', prompt: { text, cursor: text.length } });
    expect(lines.map(textOf).join('\n')).not.toContain('start');
    expect(cursor?.row).toBe(10);
    const top = frameOf({ ...modelAt(40, 12), view: 'chat', prompt: { text, cursor: 2 } });
    expect([textOf(top.lines[7] ?? []).trimEnd(), top.cursor]).toEqual(['[aish:demo ⚡]> start', { col: 18, row: 7 }]);
  });

  it.each([
    ['halted', true],
    ['waiting', true],
    ['paused', false],
    ['done', false],
  ] as const)('the sign of Norris is shown if the only goal is %s: %s', (state, isShown) => {
    const model = { ...modelAt(80, 24), view: 'chat', goals: [goalOf(1, { state })] } as const;
    expect(screenOf(model).join('\n').includes('⚡')).toBe(isShown);
  });

  it('a frame shows the question whether to abort a goal', () => {
    const model: Model = {
      ...modelAt(80, 24),
      overlay: { type: 'question', text: 'abort goal 2? y/N ', yes: { type: 'quit' } },
    };
    expect(screenOf(model)[22]?.trimEnd()).toBe('abort goal 2? y/N');
  });
});
