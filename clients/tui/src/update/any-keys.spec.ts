import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { bindingFor, placeOf } from '../keys/binding.js';
import type { Effect, Msg } from '../messages.js';
import type { HaltDialog, Model } from '../model.js';
import { decisionOf, eventOf, goalOf, sessionOf, uuid } from '@aish/client/testing/fixtures';
import { Play } from '../testing/play.js';
import { span } from '@aish/views/line';
import { lineWidth } from '@aish/views/text/fit';
import { VIEWS } from '../view-id.js';
import { frameOf } from '../views/frame.view.js';
import { KEYS } from './keys/key-table.js';

const row = (key: string) => ({ key, line: [span(key)], find: key });
const tool = decisionOf(3, {
  goalId: null,
  goalNumber: null,
  kind: 'tool',
  action: 'a.b {"c":1}',
  sessionId: uuid(1005),
});
const form = decisionOf(4, {
  kind: 'elicitation',
  request: { type: 'object', properties: { name: { type: 'string' }, size: { enum: ['s', 'm'] } }, required: ['name'] },
});

/** Messages that a server, other people and the clock may send between two keys. */
const MSGS: readonly Msg[] = [
  { type: 'connected' },
  { type: 'disconnected', error: null },
  { type: 'tick' },
  { type: 'resized', cols: 80, rows: 24 },
  { type: 'resized', cols: 200, rows: 50 },
  { type: 'resized', cols: 20, rows: 5 },
  { type: 'goalsListed', goals: [goalOf(3), goalOf(2, { state: 'halted' }), goalOf(1, { state: 'done' })] },
  { type: 'goalsListed', goals: [] },
  { type: 'goalCreated', goal: goalOf(9) },
  { type: 'decisionsListed', decisions: [decisionOf(1), tool, form] },
  { type: 'decisionsListed', decisions: [form] },
  { type: 'decisionsListed', decisions: [] },
  { type: 'verdictGiven', decision: decisionOf(1, { state: 'decided', verdict: 'skip', decidedBy: 'ann' }) },
  { type: 'chatOpened', session: sessionOf(5), isNew: false },
  {
    type: 'happened',
    sessionId: uuid(1005),
    event: eventOf(1, { type: 'message.received', exchange: 1, turn: 1, text: 'hello', by: 'ann' }, uuid(1005)),
  },
  { type: 'live', sessionId: uuid(1005), body: { type: 'answer.delta', exchange: 1, step: 1, text: '**hi**\n' } },
  { type: 'paneLoaded', pane: 'memory', rows: [row('c1'), row('i2')] },
  { type: 'paneLoaded', pane: 'knowledge', rows: [row('k')] },
  { type: 'paneLoaded', pane: 'sessions', rows: [] },
  {
    type: 'detailLoaded',
    pane: 'knowledge',
    detail: { key: 'k', title: 'K', kind: 'markdown', text: '# k', links: [{ key: 'l', label: 'leads to  L' }] },
  },
  { type: 'metaDone', title: ':x', lines: [[span('a')], [span('b')]], isGood: true, yes: null, candidates: 0 },
  {
    type: 'metaDone',
    title: ':y',
    lines: [[span('a')], [span('b')]],
    isGood: true,
    yes: { type: 'redraw' },
    candidates: 0,
  },
  { type: 'metaDone', title: ':z', lines: [], isGood: true, yes: null, candidates: 2 },
  { type: 'grantsListed', goalId: uuid(3), items: [] },
  { type: 'modelsListed', models: [] },
  { type: 'pasted', text: 'two\nlines' },
  { type: 'mouse', action: 'up', x: 3, y: 3 },
  { type: 'mouse', action: 'click', x: 12, y: 0 },
];

const NAMES = [...new Set(KEYS.flatMap(({ keys }) => keys.flatMap((key) => key.split(' '))))];
const step = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...NAMES).map((key) => ({ key })) },
  { weight: 2, arbitrary: fc.string({ unit: 'grapheme', minLength: 1, maxLength: 1 }).map((key) => ({ key })) },
  { weight: 3, arbitrary: fc.constantFrom(...MSGS).map((msg) => ({ msg })) },
  { weight: 2, arbitrary: fc.constantFrom(0, 100, 600, 20_000).map((ms) => ({ ms })) },
);

/** Returns the invariants that a model and its screen violate. */
function brokenOf(model: Model): string[] {
  const { prompt, overlay, helpTop, decisionAt, decisions, panes, size, completion } = model;
  const frame = frameOf(model);
  const { cursor } = frame;
  const holds = {
    'the cursor is in the prompt': prompt.cursor >= 0 && prompt.cursor <= prompt.text.length,
    'the help is at a line': helpTop >= 0,
    'the inbox is at a decision': decisionAt >= 0 && decisionAt <= Math.max(0, decisions.length - 1),
    'a list is at a row of it': Object.values(panes).every(
      ({ rows, chosen, detailTop }) =>
        detailTop >= 0 && (chosen === null || rows?.some(({ key }) => key === chosen) === true),
    ),
    'a HALT waits that is shown, is being answered, or says how it was':
      overlay?.type !== 'halt' || overlay.sending !== null || overlay.ended !== null || isListed(decisions, overlay),
    'a completion is one of the list': completion === null || completion.chosen < completion.items.length,
    'the screen is filled':
      frame.lines.length === size.rows && frame.lines.every((each) => lineWidth(each) === size.cols),
    'the cursor is on the screen': cursor === null || (cursor.col < size.cols && cursor.row < size.rows),
  };
  return Object.entries(holds).flatMap(([what, isSo]) => (isSo ? [] : [what]));
}

function isListed(decisions: Model['decisions'], { decision }: HaltDialog): boolean {
  return decisions.some(({ id }) => id === decision.id);
}

/** Returns whether an effect has lasting consequences. */
const isAnswer = ({ type }: Effect): boolean =>
  ['giveVerdict', 'cancelGoal', 'continueGoal', 'revokeGrant'].includes(type);

describe('any sequence of keys and events', () => {
  it('the model and the screen stay valid after any sequence of keys and events', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const play = new Play();
        for (const each of steps) {
          if ('key' in each) play.press(each.key);
          else if ('msg' in each) play.send(each.msg);
          else play.wait(each.ms);
        }
        expect(brokenOf(play.model)).toEqual([]);
      }),
      { numRuns: 400 },
    );
  });

  it('text typed without a pause never answers an open question', () => {
    const places = fc.array(
      fc.oneof(
        fc.constantFrom(...NAMES).map((key) => ({ key })),
        fc.constantFrom(...MSGS).map((msg) => ({ msg })),
      ),
      {
        maxLength: 12,
      },
    );
    let asked = 0;
    const text = fc.string({
      unit: fc.constantFrom('p', 'a', 's', 'y', 'e', 'g', 'c', 'r', 'x', 'n', ' ', 'd', 'q', '?', 'j'),
      minLength: 2,
      maxLength: 12,
    });
    fc.assert(
      fc.property(places, fc.boolean(), text, (before, isHalted, typed) => {
        const play = new Play();
        for (const each of before) {
          if ('key' in each) play.press(each.key);
          else play.send(each.msg);
        }
        if (isHalted) {
          play.press('escape', 'f1').send({ type: 'decisionsListed', decisions: [] });
          play.send({ type: 'decisionsListed', decisions: [decisionOf(1)] }).press('ctrl-d');
        }
        play.wait(5_000);
        const isAsked = ['HALT', 'HALT grant', 'question'].includes(placeOf(play.model));
        play.done();
        play.type(typed, 90);
        play.wait(5_000);
        // In a list, single letters are keys. At a question they are not while the person types text.
        if (isAsked) asked += 1;
        expect(isAsked ? play.done().filter(isAnswer) : []).toEqual([]);
      }),
      { numRuns: 300 },
    );
    expect(asked).toBeGreaterThan(50);
  });
});

describe('the table of keys', () => {
  const models = (): readonly Model[] => {
    const halted = new Play().send({ type: 'decisionsListed', decisions: [decisionOf(1)] });
    return [
      new Play().model,
      new Play().type('ls').model,
      ...VIEWS.map(({ id }) => ({ ...new Play().model, view: id })),
      halted.model,
      halted.wait(2_000).alone('e').model,
      new Play()
        .send({ type: 'decisionsListed', decisions: [form] })
        .wait(2_000)
        .alone('p').model,
    ];
  };

  it('the key table gives a short reason for each unavailable key', () => {
    for (const model of models()) {
      for (const key of NAMES) {
        const whyNot = bindingFor(model, key)?.unavailable?.(model);
        expect(whyNot === undefined || (whyNot.length > 5 && whyNot.length < 60)).toBe(true);
      }
    }
  });

  it('no key handler changes the model that it receives', () => {
    for (const model of models()) {
      const before = JSON.stringify(model);
      for (const { places, run } of KEYS) if (places.includes(placeOf(model))) run(model);
      expect(JSON.stringify(model)).toBe(before);
    }
  });
});
