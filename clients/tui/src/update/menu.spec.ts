import { describe, expect, it } from '@jest/globals';
import { placeOf } from '../keys/binding.js';
import { decisionOf, eventOf, goalOf, sessionOf, uuid } from '@aish/client/testing/fixtures';
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

describe('the palette of actions', () => {
  it('the palette finds a command by its words and runs it', () => {
    const play = new Play().press('ctrl-p').type('safety li');
    expect(screen(play)).toMatch(/▸:safety list/);
    play.done();
    expect(play.press('enter').done()).toEqual([meta('safety', 'list')]);
    expect(play.model.overlay).toBeNull();
  });

  it('the palette puts a command that needs arguments into the prompt, and Esc leaves the prompt unchanged', () => {
    expect(new Play().press('ctrl-p').type('remember a').press('enter').model.prompt.text).toBe(':remember ');
    const typing = new Play().type('half').press('ctrl-p').type('xyz').press('escape');
    expect([typing.model.prompt.text, typing.model.overlay]).toEqual(['half', null]);
  });

  it('the palette also runs actions that have keys', () => {
    const play = new Play().press('ctrl-p').type('draw the screen');
    play.done();
    expect(play.press('enter').done()).toEqual([{ type: 'redraw' }]);
  });

  it('the palette reacts to arrow and delete keys, and reports when nothing matches', () => {
    const play = new Play().press('ctrl-p', 'down', 'down', 'up');
    expect(play.model.overlay).toMatchObject({ at: 1 });
    expect(screen(play.type('zzz'))).toContain('Nothing matches');
    expect(play.press('enter').model.overlay).not.toBeNull();
    expect(play.press('ctrl-u').model.overlay).toMatchObject({ filter: '', at: 0 });
    expect(play.press('backspace').model.overlay).toBeNull();
  });

  it('a HALT waits until the palette is closed', () => {
    const play = new Play().press('ctrl-p').send({ type: 'decisionsListed', decisions: [decisionOf(1)] });
    expect(placeOf(play.model)).toBe('menu');
    expect(placeOf(play.press('escape').model)).toBe('HALT');
  });
});

describe('a question about a goal', () => {
  it(':ask steers a working goal, and sends a message to the session of an ended one', () => {
    const ask = (play: Play) => {
      play.done();
      return play.press(':').type('ask which disk?').press('enter').done();
    };
    expect(ask(inGoals())).toEqual(expect.arrayContaining([meta('steer', 'g4', 'which', 'disk?')]));
    const message = { type: 'sendMessage', sessionId: goals[1]?.sessionId, text: 'which disk?' };
    expect(ask(inGoals().press('down'))).toEqual(expect.arrayContaining([expect.objectContaining(message)]));
    // The story shows the end before the list does.
    const { id: goalId = '', sessionId = '' } = goals[0] ?? {};
    const end = { type: 'goal.changed', goalId, state: 'done', reason: null, waitingFor: null, summary: null } as const;
    const toEnded = expect.objectContaining({ ...message, sessionId });
    const seen = inGoals().send({ type: 'happened', sessionId, event: eventOf(9, end, sessionId) });
    expect(ask(seen)).toEqual(expect.arrayContaining([toEnded]));
  });
});

describe('actions on the selected row', () => {
  it('Enter or a dot opens the menu of actions for the selected row', () => {
    const shown = screen(inGoals().press('enter'));
    expect(shown).toContain('ACTIONS FOR g4');
    expect(shown).toContain('pause it');
    expect(shown).not.toContain('archive it');
    expect(screen(inGoals().press('down', '.'))).toContain('archive it');
  });

  it.each([
    ['A', meta('archive', 'g3')],
    ['s', meta('show', 'g3')],
  ])('the key %s acts on the selected goal, as in its menu', (key, effect) =>
    expect(inGoals().press('down').alone(key).done()).toContainEqual(effect),
  );

  it('running a goal again keeps its space, trust and priority', () => {
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

  it('a goal can be deleted only if it has ended, and only after a confirmation', () => {
    const play = inGoals();
    expect(play.alone('D').model.flash?.text).toBe('g4 has not ended: end it first');
    play.press('down').alone('D');
    expect(screen(play)).toContain('delete goal g3, its record and its files? y/N');
    play.done();
    expect(play.alone('y').done()).toEqual([meta('remove', 'g3')]);
  });

  it.each([
    ['P', ':set g4 --priority '],
    ['N', ':set g4 --network '],
    ['R', ':set g4 --text "'],
  ])('the key %s puts %s into the prompt', (key, text) => expect(inGoals().alone(key).model.prompt.text).toBe(text));

  it('a chat can be renamed, forked, archived and deleted', () => {
    expect(inSessions().alone('R').model.prompt.text).toBe(':rename c5 ');
    expect(inSessions().alone('f').done()).toContainEqual(meta('chat', 'fork', 'c5'));
    expect(inSessions().alone('A').done()).toContainEqual(meta('archive', 'c5'));
    const play = inSessions().alone('D');
    play.done();
    expect(play.alone('y').done()).toEqual([meta('remove', 'c5')]);
    expect(inSessions().press('down').alone('f').model.flash?.text).toBe('only for a chat');
  });

  it('the palette in a chat offers the actions of the chat', () => {
    const chat = new Play().send({ type: 'chatOpened', session: sessionOf(5), isNew: false });
    chat.press('ctrl-p').type('fork');
    chat.done();
    expect(chat.press('enter').done()).toContainEqual(meta('chat', 'fork', 'c5'));
  });

  it('the menu of a decision offers a skip with a note', () => {
    const play = new Play()
      .send({ type: 'decisionsListed', decisions: [decisionOf(7)] })
      .wait(500)
      .press('escape', 'f3');
    expect(screen(play.press('.'))).toContain('skip it with a note');
  });
});

describe('a note for the model', () => {
  it('the key m starts a note that is sent with the verdict, and the earlier prompt returns', () => {
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
  it('the help starts with the keys of the current screen', () => {
    const text = screen(inGoals().press('?'));
    expect(text).toContain('KEYS IN GOALS');
    expect(text).not.toContain('COMMANDS');
    expect(screen(new Play().press('?'))).toContain('KEYS IN CHAT');
  });
});

describe('a removed goal', () => {
  it('a removed goal leaves the list, and its neighbour is selected', () => {
    const play = inGoals()
      .press('down')
      .send({ type: 'goalsListed', goals: [goalOf(4), goalOf(2)] });
    expect(play.model.chosen).toBe(uuid(2));
    expect(play.send({ type: 'goalsListed', goals: [] }).model.chosen).toBeNull();
  });

  it('a new goal, or an old one beyond the limit of the list, stays in the list', () => {
    const given = new Play().send({ type: 'goalsListed', goals: [] }, { type: 'goalCreated', goal: goalOf(9) });
    expect(given.send({ type: 'goalsListed', goals: [] }).model.goals).toHaveLength(1);
    const many = Array.from({ length: 200 }, (_, n) => goalOf(300 - n));
    const old = inGoals().press('down', 'down').send({ type: 'goalsListed', goals: many });
    expect(old.model.goals).toHaveLength(201);
  });
});

describe('the saved state of a crashed terminal', () => {
  it('the terminal restores the view, the chat, the goal and the unsent text', () => {
    const where = { server: 'http://x', view: 'goals' as const, chat: uuid(1005), goal: uuid(3), prompt: 'half a sen' };
    const play = new Play().send({ type: 'restored', where });
    expect(play.done()).toContainEqual({ type: 'openSession', reference: uuid(1005), stays: true });
    play.send({ type: 'goalsListed', goals }, { type: 'chatOpened', session: sessionOf(5), isNew: false, stays: true });
    const { view, chosen, chat, prompt } = play.model;
    expect([view, chosen, chat.session?.number, prompt.text]).toEqual(['goals', uuid(3), 5, 'half a sen']);
  });

  it('restoring the saved state does not overwrite newer text in the prompt', () => {
    const where = { server: 'http://x', view: 'chat' as const, chat: null, goal: null, prompt: 'old' };
    expect(new Play().type('new').send({ type: 'restored', where }).model.prompt.text).toBe('new');
  });
});
