import { describe, expect, it } from '@jest/globals';
import { placeOf } from '../keys/binding.js';
import { decisionOf, goalOf, sessionOf, uuid } from '@aish/client/testing/fixtures';
import { Play } from '../testing/play.js';
import { span, textOf } from '@aish/views/line';
import { frameOf } from '../views/frame.view.js';

const screen = (play: Play) => frameOf(play.model).lines.map(textOf).join('\n');
const meta = (...words: readonly string[]) => expect.objectContaining({ type: 'runMeta', words });
const goals = [goalOf(4), goalOf(3, { state: 'done' }), goalOf(2, { state: 'paused' })];
const inGoals = () => new Play().send({ type: 'goalsListed', goals }).press('f2');
const row = (name: string, key: string) => ({ key, name, line: [span(` ${name}`)], find: name });
const inSessions = () =>
  new Play()
    .press('f6')
    .send({ type: 'goalsListed', goals })
    .send({ type: 'paneLoaded', pane: 'sessions', rows: [row('c5', uuid(5)), row('g3', uuid(3)), row('g4', uuid(4))] });

describe('the palette', () => {
  it('opens over everything, finds a command by its words, and does it', () => {
    const play = new Play().press('ctrl-p').type('safety li');
    expect(screen(play)).toMatch(/▸:safety list/);
    play.done();
    expect(play.press('enter').done()).toEqual([meta('safety', 'list')]);
    expect(play.model.overlay).toBeNull();
  });

  it('writes a command that needs more, and leaves what was typed alone when it is closed', () => {
    expect(new Play().press('ctrl-p').type('remember a').press('enter').model.prompt.text).toBe(':remember ');
    const typing = new Play().type('half').press('ctrl-p').type('xyz').press('escape');
    expect([typing.model.prompt.text, typing.model.overlay]).toEqual(['half', null]);
  });

  it('does what a key does, too', () => {
    const play = new Play().press('ctrl-p').type('draw the screen');
    play.done();
    expect(play.press('enter').done()).toEqual([{ type: 'redraw' }]);
  });

  it('moves with arrows, erases, and says so when nothing is called so', () => {
    const play = new Play().press('ctrl-p', 'down', 'down', 'up');
    expect(play.model.overlay).toMatchObject({ at: 1 });
    expect(screen(play.type('zzz'))).toContain('Nothing is called so');
    expect(play.press('enter').model.overlay).not.toBeNull();
    expect(play.press('ctrl-u').model.overlay).toMatchObject({ filter: '', at: 0 });
    expect(play.press('backspace').model.overlay).toBeNull();
  });

  it('is not in the way of a HALT: it comes when the palette has gone', () => {
    const play = new Play().press('ctrl-p').send({ type: 'decisionsListed', decisions: [decisionOf(1)] });
    expect(placeOf(play.model)).toBe('menu');
    expect(placeOf(play.press('escape').model)).toBe('HALT');
  });
});

describe('what can be done to a row', () => {
  it('is a menu by Enter or a dot, with the keys of it', () => {
    const shown = screen(inGoals().press('enter'));
    expect(shown).toContain('WHAT TO DO WITH g4');
    expect(shown).toContain('pause it');
    expect(shown).not.toContain('leave it out of the lists');
    expect(screen(inGoals().press('down', '.'))).toContain('leave it out of the lists');
  });

  it.each([
    ['A', meta('archive', 'g3')],
    ['s', meta('show', 'g3')],
  ])('%s of a goal', (key, effect) => expect(inGoals().press('down').alone(key).done()).toContainEqual(effect));

  it('gives a goal again as it was given: in its space, with its trust and priority', () => {
    const given = (goal: Parameters<typeof goalOf>[1]) =>
      new Play()
        .send({ type: 'goalsListed', goals: [goalOf(4, { text: 'look', ...goal })] })
        .press('f2', '.')
        .type('again')
        .press('enter').model.prompt.text;
    expect(given({})).toBe(':norris look ');
    expect(given({ space: 'media', trust: 'undoable', priority: 'low' })).toBe(
      ':norris --space media --trust undoable --priority low look ',
    );
  });

  it('deletes a goal after a question, and not one that goes on', () => {
    const play = inGoals();
    expect(play.alone('D').model.flash?.text).toBe('g4 goes on: end it first');
    play.press('down').alone('D');
    expect(screen(play)).toContain('delete goal g3, its record and its files? y/N');
    play.done();
    expect(play.alone('y').done()).toEqual([meta('remove', 'g3')]);
  });

  it.each([
    ['P', ':set g4 --priority '],
    ['N', ':set g4 --network '],
    ['R', ':set g4 --text "'],
  ])('%s writes %s', (key, text) => expect(inGoals().alone(key).model.prompt.text).toBe(text));

  it('renames, forks, archives and deletes a chat', () => {
    expect(inSessions().alone('R').model.prompt.text).toBe(':rename c5 ');
    expect(inSessions().alone('f').done()).toContainEqual(meta('chat', 'fork', 'c5'));
    expect(inSessions().alone('A').done()).toContainEqual(meta('archive', 'c5'));
    const play = inSessions().alone('D');
    play.done();
    expect(play.alone('y').done()).toEqual([meta('remove', 'c5')]);
    expect(inSessions().press('down').alone('f').model.flash?.text).toBe('that is for a chat');
  });

  it('stands first in the palette of a chat', () => {
    const chat = new Play().send({ type: 'chatOpened', session: sessionOf(5), isNew: false });
    chat.press('ctrl-p').type('fork');
    chat.done();
    expect(chat.press('enter').done()).toContainEqual(meta('chat', 'fork', 'c5'));
  });

  it('leads from a decision to a skip with a reason', () => {
    const play = new Play()
      .send({ type: 'decisionsListed', decisions: [decisionOf(7)] })
      .wait(500)
      .press('escape', 'f3');
    expect(screen(play.press('.'))).toContain('skip it, and say why');
  });
});

describe('a note for the model', () => {
  it('is typed after m, goes with the verdict, and gives the prompt back', () => {
    const play = new Play().type('keep me').send({ type: 'decisionsListed', decisions: [decisionOf(1)] });
    play.press('ctrl-d').wait(1_000).alone('m');
    expect(screen(play)).toContain('note: ');
    play.done();
    play.type('use the trash instead').press('enter').wait(1_000).alone('s');
    expect(play.done()).toEqual([
      { type: 'giveVerdict', decisionId: uuid(2001), given: { verdict: 'skip', message: 'use the trash instead' } },
    ]);
    expect(play.model.prompt.text).toBe('keep me');
  });
});

describe('the help', () => {
  it('starts with the keys of the current screen', () => {
    const text = screen(inGoals().press('?'));
    expect(text).toContain('WHAT WORKS IN GOALS');
    expect(text).not.toContain('COMMANDS');
    expect(screen(new Play().press('?'))).toContain('WHAT WORKS IN CHAT');
  });
});

describe('a goal that is gone', () => {
  it('leaves the list, and its neighbour is chosen', () => {
    const play = inGoals()
      .press('down')
      .send({ type: 'goalsListed', goals: [goalOf(4), goalOf(2)] });
    expect(play.model.chosen).toBe(uuid(2));
    expect(play.send({ type: 'goalsListed', goals: [] }).model.chosen).toBeNull();
  });

  it('is not the one that was just given, or an old one of a long list', () => {
    const given = new Play().send({ type: 'goalsListed', goals: [] }, { type: 'goalCreated', goal: goalOf(9) });
    expect(given.send({ type: 'goalsListed', goals: [] }).model.goals).toHaveLength(1);
    const many = Array.from({ length: 200 }, (_, n) => goalOf(300 - n));
    const old = inGoals().press('down', 'down').send({ type: 'goalsListed', goals: many });
    expect(old.model.goals).toHaveLength(201);
  });
});

describe('where a person was whose terminal went away', () => {
  it('is where they are again: view, chat, goal and what they were typing', () => {
    const where = { server: 'http://x', view: 'goals' as const, chat: uuid(1005), goal: uuid(3), prompt: 'half a sen' };
    const play = new Play().send({ type: 'restored', where });
    expect(play.done()).toContainEqual({ type: 'openSession', reference: uuid(1005), stays: true });
    play.send({ type: 'goalsListed', goals }, { type: 'chatOpened', session: sessionOf(5), isNew: false, stays: true });
    const { view, chosen, chat, prompt } = play.model;
    expect([view, chosen, chat.session?.number, prompt.text]).toEqual(['goals', uuid(3), 5, 'half a sen']);
  });

  it('does not overwrite text that was typed in between', () => {
    const where = { server: 'http://x', view: 'chat' as const, chat: null, goal: null, prompt: 'old' };
    expect(new Play().type('new').send({ type: 'restored', where }).model.prompt.text).toBe('new');
  });
});
