import { describe, expect, it } from '@jest/globals';
import { ApiError } from '@aish/client/api.error';
import { decisionOf, eventOf, goalOf, sessionOf, uuid } from '@aish/client/testing/fixtures';
import { Play } from './testing/play.js';
import { line, span } from '@aish/views/line';
import { withPane } from './update/panes.update.js';

const halted = decisionOf(1);
const verdict = (which: 'proceed' | 'skip' | 'abort') => ({
  type: 'giveVerdict',
  decisionId: halted.id,
  given: { verdict: which },
});
const withHalt = () => new Play().send({ type: 'decisionsListed', decisions: [halted] }).wait(500);
const remember = (line: string) => ({ type: 'remember', line });
const sendMessage = (text: string) => ({ type: 'sendMessage', sessionId: null, preset: 'fast', text });
const overlay = (play: Play) => play.model.overlay?.type;

describe('a HALT', () => {
  it.each([
    ['p', 'proceed'],
    ['s', 'skip'],
  ] as const)('%s answers %s', (key, which) => expect(withHalt().alone(key).done()).toEqual([verdict(which)]));

  it('is not answered by Enter, by space, or by anything else', () => {
    const play = withHalt().alone('enter', ' ', 'y', 'x', 'ctrl-j', 'tab', 'linefeed');
    expect(play.done()).toEqual([]);
    expect(overlay(play)).toBe('halt');
  });

  it('does not hear who types while it opens, however long they go on', () => {
    const play = new Play().send({ type: 'decisionsListed', decisions: [halted] });
    expect(play.type('please stop', 200).wait(2_000).done()).toEqual([]);
    expect(play.press('ctrl-d').wait(1_000).alone('p').done()).toEqual([verdict('proceed')]);
  });

  it('is not answered by a paste', () => {
    expect(withHalt().send({ type: 'pasted', text: 'p' }).done()).toEqual([]);
  });

  it('waits while there is text in the prompt, and opens when it is gone', () => {
    const play = new Play().type('ls').send({ type: 'decisionsListed', decisions: [halted] });
    expect(overlay(play)).toBeUndefined();
    expect(overlay(play.press('ctrl-d'))).toBe('halt');
    expect(play.wait(500).press('escape').model.prompt.text).toBe('ls');
    const other = new Play().type('l').send({ type: 'decisionsListed', decisions: [halted] });
    expect(overlay(other.press('backspace'))).toBe('halt');
    expect(other.alone('p').done()).toEqual([]);
  });

  it('can be put aside, and Ctrl-D brings it back, in a list d', () => {
    const play = withHalt().press('escape');
    expect(overlay(play.send({ type: 'decisionsListed', decisions: [halted] }))).toBeUndefined();
    expect(overlay(play.press('ctrl-d'))).toBe('halt');
    expect(overlay(play.wait(500).press('escape', 'f2', 'd'))).toBe('halt');
  });

  it('stays aside while another one is opened from the list', () => {
    const play = new Play().send({ type: 'decisionsListed', decisions: [halted, decisionOf(2)] }).wait(500);
    play.press('escape').wait(500).press('escape', 'f3', 'down', 'enter').wait(500);
    expect(play.model.overlay).toMatchObject({ type: 'halt', decision: { number: 2 } });
    expect(overlay(play.press('f1'))).toBeUndefined();
    expect(play.model.aside).toEqual([halted.id, decisionOf(2).id]);
  });

  it('leaves d a letter while nothing waits', () => {
    expect(new Play().press('d').model.prompt.text).toBe('d');
  });

  it('sends one verdict, however often the key is pressed', () => {
    expect(withHalt().alone('p', 'p', 's').done()).toEqual([verdict('proceed')]);
  });

  it('closes when somebody else has answered, and says who', () => {
    const play = withHalt().send({ type: 'decisionsListed', decisions: [] });
    expect(overlay(play)).toBeUndefined();
    expect(play.done()).toEqual([{ type: 'seeDecision', decisionId: halted.id }]);
    play.send({ type: 'decisionSeen', decision: { ...halted, state: 'decided', verdict: 'skip', decidedBy: 'ann' } });
    expect(play.model.flash?.text).toBe('d-1 was answered elsewhere: skip by ann');
  });

  it('shows who has let it run elsewhere, and goes on showing what was read where the action is another one by now', () => {
    const approval = { needed: 2, given: [], author: null, isOpen: null, opensAt: null, waitsUntil: null };
    const shown = { ...halted, version: 'one', approval };
    const ann = { by: 'ann', at: halted.createdAt, version: 'one', inWindow: false, carried: false };
    const play = new Play().send({ type: 'decisionsListed', decisions: [shown] });
    const approved = { ...shown, approval: { ...approval, given: [ann] } };
    play.send({ type: 'decisionsListed', decisions: [approved] });
    expect(play.model.overlay).toMatchObject({ type: 'halt', decision: approved });
    play.send({ type: 'decisionsListed', decisions: [{ ...approved, version: 'two', action: 'rm -rf /' }] });
    expect(play.model.overlay).toMatchObject({ type: 'halt', decision: approved });

    // The verdict is for what was read; refused, the other one is shown.
    play.wait(500).alone('p');
    expect(play.done()).toEqual([
      { type: 'giveVerdict', decisionId: halted.id, given: { verdict: 'proceed', version: 'one' } },
    ]);
    const error = new ApiError('answered', 'decision_changed', 'Decision d-1 is not what was shown', { status: 409 });
    play.send({ type: 'verdictRefused', decisionId: halted.id, error });
    const other = { ...approved, version: 'two', action: 'rm -rf /' };
    play.send({ type: 'decisionsListed', decisions: [other] });
    expect(play.model.overlay).toMatchObject({ type: 'halt', decision: other, sending: null });
  });

  const windowed = {
    ...halted,
    version: 'one',
    approval: {
      needed: 1,
      given: [],
      author: null,
      isOpen: false,
      opensAt: '2026-11-28T02:00:00.000Z',
      waitsUntil: null,
    },
  };
  const letThrough = { by: 'ann', at: halted.createdAt, version: 'one', inWindow: true, carried: false };
  const withWindow = (given: (typeof letThrough)[]) =>
    new Play()
      .send({ type: 'decisionsListed', decisions: [{ ...windowed, approval: { ...windowed.approval, given } }] })
      .wait(500);

  it('i lets it run in the change window, where the space has one', () => {
    const given = { verdict: 'proceed', inWindow: true, version: 'one' };
    expect(withWindow([]).alone('i').done()).toEqual([{ type: 'giveVerdict', decisionId: halted.id, given }]);
    const without = withHalt().alone('i');
    expect(without.done()).toEqual([]);
    expect(without.model.flash?.text).toContain('there is no change window to wait for');
  });

  it('b takes back what waits for the window or for another person, once, and the question stays', () => {
    const play = withWindow([letThrough]).alone('b', 'b');
    expect(play.done()).toEqual([{ type: 'takeBack', decisionId: halted.id }]);
    const error = new ApiError('unreachable', 'unreachable', 'no answer');
    play.send({ type: 'verdictRefused', decisionId: halted.id, error });
    expect(play.model.overlay).toMatchObject({ type: 'halt', sending: null, trouble: 'Not sent: no answer' });
    const nobody = withWindow([]).alone('b');
    expect(nobody.done()).toEqual([]);
    expect(nobody.model.flash?.text).toContain('nobody has let it run yet');
  });

  it('says who was quicker when the server refuses', () => {
    const error = new ApiError('answered', 'decision_taken', 'Decision d-1 was answered with skip by ann', {
      status: 409,
    });
    const play = withHalt().alone('p').send({ type: 'verdictRefused', decisionId: halted.id, error });
    expect(overlay(play)).toBeUndefined();
    expect(play.model.flash?.text).toContain('skip by ann');
    // An old list may still name it.
    expect(overlay(play.send({ type: 'decisionsListed', decisions: [halted] }))).toBeUndefined();
  });

  it('stays open when the verdict could not be sent', () => {
    const error = new ApiError('unreachable', 'unreachable', 'no answer');
    const play = withHalt().alone('p').send({ type: 'verdictRefused', decisionId: halted.id, error });
    expect(play.model.overlay).toMatchObject({ type: 'halt', sending: null, trouble: 'Not sent: no answer' });
    play.done();
    expect(play.alone('p').done()).toEqual([verdict('proceed')]);
  });

  it('lets a long action run only when it was read to its end', () => {
    const long = decisionOf(1, {
      action: Array.from({ length: 60 }, (_, n) => `echo ${n}`).join('\n'),
      classification: null,
    });
    const play = new Play()
      .send({ type: 'decisionsListed', decisions: [long] })
      .wait(500)
      .alone('p');
    expect(play.done()).toEqual([]);
    for (let page = 0; page < 20; page += 1) play.press('pagedown');
    expect(play.alone('p').done()).toEqual([verdict('proceed')]);
    const other = new Play().send({ type: 'decisionsListed', decisions: [long] }).wait(500);
    expect(other.alone('s').done()).toEqual([verdict('skip')]);
  });

  it('is followed by the next one that waits', () => {
    const second = decisionOf(2);
    const play = new Play()
      .send({ type: 'decisionsListed', decisions: [halted, second] })
      .wait(500)
      .alone('p');
    play.send({ type: 'verdictGiven', decision: { ...halted, state: 'decided', verdict: 'proceed', decidedBy: 'me' } });
    expect(play.model.overlay).toMatchObject({ type: 'halt', decision: { id: second.id } });
    expect(play.alone('p').done()).not.toContainEqual({
      type: 'giveVerdict',
      decisionId: second.id,
      given: { verdict: 'proceed' },
    });
  });
});

describe('the prompt', () => {
  it('gives Norris a goal', () => {
    const play = new Play().type(':norris list files').press('enter');
    expect(play.done()).toEqual([remember(':norris list files'), { type: 'createGoal', text: 'list files' }]);
    // In a chat, what was said there is its background.
    const chatting = new Play().send({ type: 'chatOpened', session: sessionOf(5), isNew: false });
    chatting.done();
    const given = { type: 'createGoal', text: 'do that', chat: sessionOf(5).id };
    expect(chatting.type(':norris do that').press('enter').done()).toContainEqual(given);
    expect(play.model.prompt.text).toBe('');
  });

  it('takes the most steps of a goal before its text, also without a space after them', () => {
    for (const typed of [':norris --steps 3 list files', ':norris --steps=3  list files']) {
      const play = new Play().type(typed).press('enter');
      expect(play.done()).toContainEqual({ type: 'createGoal', text: 'list files', steps: 3 });
    }
    const inside = new Play().type(':norris explain --steps 3').press('enter');
    expect(inside.done()).toContainEqual({ type: 'createGoal', text: 'explain --steps 3' });
  });

  it.each([
    [':norris', ':norris ', 'what is the goal?'],
    [':norris --steps 3', ':norris --steps 3 ', 'what is the goal?'],
    [':norris --steps many files', ':norris --steps many files', '--steps takes a whole number from 1 to 256'],
    [':norris --steps 257 files', ':norris --steps 257 files', '--steps takes a whole number from 1 to 256'],
    [
      ':norris --stpes 3 files',
      ':norris --stpes 3 files',
      'of a goal here there are --steps, --space, --trust, --priority; more: aish run --help',
    ],
  ])('%j gives no goal and keeps what was typed as %j: %s', (typed, kept, flash) => {
    const play = new Play().type(typed).press('enter');
    expect(play.done()).not.toContainEqual(expect.objectContaining({ type: 'createGoal' }));
    expect([play.model.prompt.text, play.model.isPromptOpen, play.model.flash?.text]).toEqual([kept, true, flash]);
  });

  it('keeps what was typed when the server refuses it', () => {
    const error = new ApiError('answered', 'invalid_body', 'too long', { status: 400 });
    const play = new Play().send({ type: 'goalRefused', text: 'list files', error });
    expect([play.model.prompt.text, play.model.flash?.text]).toEqual([':norris list files', 'too long']);
  });

  it('takes a paste of many lines as one message', () => {
    const play = new Play().send({ type: 'pasted', text: 'one\r\ntwo' }).press('enter');
    expect(play.done()).toEqual([remember('one\ntwo'), sendMessage('one\ntwo')]);
  });

  it('edits', () => {
    const play = new Play().type('one two').press('ctrl-w').type('日').press('left', 'home', 'delete');
    expect(play.model.prompt).toEqual({ text: 'ne 日', cursor: 0 });
    expect(play.press('end', 'ctrl-u').model.prompt.text).toBe('');
  });

  it('begins a goal for Norris with Ctrl-N', () => {
    expect(new Play().type('ls').press('ctrl-n').model.prompt).toEqual({ text: ':norris ls', cursor: 10 });
  });

  it('refuses what is no command, and keeps it to be mended', () => {
    const play = new Play().type(':nope').press('enter');
    expect([play.done(), play.model.prompt.text]).toEqual([[], ':nope']);
  });
});

describe('goals', () => {
  const goals = [goalOf(3, { state: 'done' }), goalOf(2), goalOf(1, { state: 'done' })];
  const listed = () => new Play().press('f2').send({ type: 'goalsListed', goals });

  it('begins with the one that runs, and arrows choose another', () => {
    const play = listed();
    expect(play.done()).toContainEqual({ type: 'followSession', place: 'goal', sessionId: uuid(1002) });
    expect(play.press('up').done()).toEqual([{ type: 'followSession', place: 'goal', sessionId: uuid(1003) }]);
    expect(play.press('up').done()).toEqual([]);
  });

  it('shows only what belongs to the chosen one', () => {
    const body = { type: 'step.started', goalId: uuid(1), step: 1, stepBudget: 16 } as const;
    const event = eventOf(2, body);
    expect(listed().send({ type: 'happened', sessionId: uuid(1001), event }).model.goalFeed.timeline.entries).toEqual(
      [],
    );
    expect(
      listed().send({ type: 'happened', sessionId: uuid(1002), event }).model.goalFeed.timeline.entries,
    ).toHaveLength(1);
  });

  it('follows a goal that was just created, also when an older list comes after it', () => {
    const created = goalOf(4);
    const play = listed().send({ type: 'goalCreated', goal: created }, { type: 'goalsListed', goals });
    expect([play.model.chosen, play.model.goals?.map(({ number }) => number)]).toEqual([created.id, [4, 3, 2, 1]]);
  });

  it('asks before Ctrl-X Ctrl-C cancels the chosen one', () => {
    const play = listed().press('ctrl-x', 'ctrl-c');
    expect(play.model.overlay).toMatchObject({ type: 'question', text: 'abort goal 2? y/N ' });
    play.done();
    expect(play.press('enter').done()).toEqual([]);
    expect(play.press('ctrl-x', 'ctrl-c').alone('y').done()).toEqual([{ type: 'cancelGoal', goalId: uuid(2) }]);
  });

  it('pauses the chosen one with Ctrl-C, and r lets it go on', () => {
    const play = listed();
    play.done();
    expect(play.press('ctrl-c').done()).toEqual([{ type: 'pauseGoal', goalId: uuid(2) }]);
    play.send({ type: 'goalPaused', goal: goalOf(2, { state: 'paused' }) }).press('ctrl-c');
    expect(play.done()).toEqual([]);
    expect(play.alone('r').done()).toEqual([{ type: 'resumeGoal', goalId: uuid(2) }]);
  });

  it('asks before r gives a goal that ended more steps', () => {
    const play = listed().send({ type: 'goalsListed', goals: [goalOf(2, { state: 'exhausted' })] });
    play.done();
    expect(play.alone('r', 'n').done()).toEqual([]);
    expect(play.alone('r', 'y').done()).toEqual([{ type: 'continueGoal', goalId: uuid(2) }]);
  });

  it('shows with u what taking its newest command back would lose, with u again the one before, and y does it', () => {
    const play = listed();
    play.done();
    const sessionId = goalOf(2).sessionId;
    expect(play.press('u').done()).toEqual([{ type: 'foretellUndo', sessionId, nth: 0 }]);
    const yes = { type: 'runMeta', title: 'before step 3?', words: ['undo', uuid(7), '--yes'], reload: [] } as const;
    const older = { type: 'foretellUndo', sessionId, nth: 1 } as const;
    const lines = [line('rm -r d'), line('back again: 1 file, 8 B')];
    play.send({ type: 'metaDone', title: 'before step 3?', lines, isGood: true, yes, candidates: 0, older });
    expect(play.press('u').wait(1_000).done()).toEqual([older]);
    play.send({ type: 'metaDone', title: 'before step 2?', lines, isGood: true, yes, candidates: 0 });
    expect(play.press('u').wait(1_000).done()).toEqual([]);
    expect(play.alone('y').done()).toEqual([yes]);
  });

  it('shows what is granted, and x takes it back', () => {
    const grant = {
      id: uuid(77),
      goalId: uuid(2),
      scope: 'rule',
      action: null,
      ruleId: 'files.remove',
      binding: 'b',
      carried: false,
      uses: 1,
      createdBy: 'ann',
      createdAt: goals[0]?.createdAt ?? '',
      revokedBy: null,
      revokedAt: null,
    } as const;
    const play = listed();
    play.done();
    expect(play.press('t').done()).toEqual([{ type: 'listGrants', goalId: uuid(2) }]);
    play.send({ type: 'grantsListed', goalId: uuid(2), items: [grant] });
    expect(play.alone('x').done()).toEqual([{ type: 'revokeGrant', goalId: uuid(2), grantId: grant.id }]);
    const revoked = { ...grant, revokedBy: 'ann', revokedAt: grant.createdAt };
    expect(
      play
        .send({ type: 'grantsListed', goalId: uuid(2), items: [revoked] })
        .alone('x')
        .done(),
    ).toEqual([]);
    expect(overlay(play.press('escape'))).toBeUndefined();
  });

  it('Ctrl-C is forgotten once anything else is pressed or pasted', () => {
    for (const other of [
      ['x', 'backspace'],
      ['f2', 'f1'],
    ]) {
      expect(new Play().press('ctrl-c', ...other, 'ctrl-c').done()).not.toContainEqual({ type: 'quit' });
    }
    const pasted = new Play().press('ctrl-c').send({ type: 'pasted', text: 'x' }).press('ctrl-c', 'ctrl-c');
    expect(pasted.done()).not.toContainEqual({ type: 'quit' });
  });

  it('a line that looks like a command of another program is sent at its second Enter', () => {
    const play = new Play().type('/help').press('enter');
    expect(play.done()).toEqual([]);
    expect(play.model.prompt.text).toBe('/help');
    expect(play.press('enter').done()).toContainEqual(expect.objectContaining({ type: 'sendMessage', text: '/help' }));
  });

  it('quits with a second Ctrl-C when nothing runs', () => {
    const play = new Play().press('ctrl-c');
    expect(play.done()).toEqual([]);
    expect(play.press('ctrl-c').done()).toEqual([{ type: 'quit' }]);
  });

  it('forgets Ctrl-X after any other key', () => {
    const play = listed().press('ctrl-x', 'x', 'y');
    expect([play.model.overlay, play.model.hasPrefix]).toEqual([null, false]);
  });
});

describe('what is proposed to remember', () => {
  const note = [span('2 older turns did not fit.')];
  const proposed = (play: Play) =>
    play.send({ type: 'metaDone', title: '', lines: [note], isGood: true, yes: null, candidates: 2 });

  it('is shown in the memory, with any earlier filter and choice there', () => {
    const play = new Play();
    play.model = withPane(play.model, 'memory', { chosen: 'i1', filter: 'nas' });
    expect(proposed(play).done()).toEqual([{ type: 'loadPane', pane: 'memory', filter: '' }]);
    expect(play.model).toMatchObject({ view: 'memory', panes: { memory: { chosen: null, filter: '' } } });
    expect(play.model.flash?.text).toBe('2 proposals wait in the memory · 2 older turns did not fit.');
  });

  it('disturbs nobody who types or has a HALT before them', () => {
    const typing = proposed(new Play().type('ls'));
    expect([typing.model.view, typing.model.prompt.text]).toEqual(['chat', 'ls']);
    expect(typing.model.flash?.text).toContain('2 proposals wait in the memory');
    expect(overlay(proposed(withHalt()))).toBe('halt');
  });
});

describe(':remember', () => {
  const enter = (play: Play, text: string) => play.type(text).press('enter').done();
  const ran = (...words: string[]) => ({
    type: 'runMeta',
    title: ':remember odin has 4 disks',
    words,
    reload: ['memory'],
  });
  const line = ':remember odin has 4 disks';

  it('reaches the live chat: its next turn shows the item', () => {
    const play = new Play().send({ type: 'chatOpened', session: sessionOf(5), isNew: false });
    play.done();
    expect(enter(play, line)).toContainEqual(
      ran('remember', '--session', sessionOf(5).id, 'odin', 'has', '4', 'disks'),
    );
    expect(enter(play, ':remember --kind pref terse')).toContainEqual(
      expect.objectContaining({ words: ['remember', '--session', sessionOf(5).id, '--kind', 'pref', 'terse'] }),
    );
  });

  it('reaches it at once while an answer streams, the first one of a new chat, too', () => {
    const play = new Play()
      .type('hello')
      .press('enter')
      .send({ type: 'chatOpened', session: sessionOf(5), isNew: true });
    play.done();
    expect(play.model.chat.isBusy).toBe(true);
    expect(enter(play, line)).toContainEqual(
      ran('remember', '--session', sessionOf(5).id, 'odin', 'has', '4', 'disks'),
    );
    expect(play.model.chat.outbox).toEqual(['hello']);
  });

  it('needs no chat', () => {
    expect(enter(new Play(), line)).toContainEqual(ran('remember', 'odin', 'has', '4', 'disks'));
  });
});

describe('the connection', () => {
  const types = (play: Play) => play.done().map(({ type }) => type);

  it('lists everything again whenever it stands', () => {
    expect(types(new Play().send({ type: 'connected' }))).toEqual(['listGoals', 'listDecisions', 'listModels']);
  });

  it('says whether it is lost or refused', () => {
    const lost = new ApiError('unreachable', 'unreachable', 'gone');
    const refused = new ApiError('answered', 'unauthorized', 'unknown token', { status: 401 });
    expect(new Play().send({ type: 'disconnected', error: lost }).model.connection.state).toBe('offline');
    expect(new Play().send({ type: 'disconnected', error: refused }).model.connection.state).toBe('refused');
  });

  it('lists only what a notice is about', () => {
    expect(types(new Play().send({ type: 'noticed', types: ['action.started'] }))).toEqual([]);
    expect(types(new Play().send({ type: 'noticed', types: ['decision.requested', 'goal.changed'] }))).toEqual([
      'listGoals',
      'listDecisions',
    ]);
  });

  it('asks nothing of a server at rest', () => {
    const model = {
      preset: 'fast',
      baseUrl: 'http://m',
      model: 'm',
      state: 'ready',
      detail: null,
      demo: false,
    } as const;
    const play = new Play().send({ type: 'connected' }, { type: 'modelsListed', models: [model] });
    play.done();
    expect(play.send({ type: 'tick' }).done()).toEqual([]);
  });
});

describe('Norris', () => {
  const two = [goalOf(21, { state: 'halted' }), goalOf(20), goalOf(4, { state: 'done' })];
  const withGoals = (goals = two) => new Play().send({ type: 'goalsListed', goals });

  it('gets a goal with Ctrl-N while it works on anything, and no letter of it is lost', () => {
    for (const play of [withGoals(), withGoals().press('f2')]) {
      play.done();
      play.press('ctrl-n').type('yet another plan', 80);
      expect([play.model.overlay, play.model.prompt.text]).toEqual([null, ':norris yet another plan']);
      expect(play.press('enter').done()).toContainEqual({ type: 'createGoal', text: 'yet another plan' });
    }
  });

  const off = (play: Play, which = '') => {
    for (const key of Array.from(`:cancel${which}`)) play.press(key);
    return play.press('enter');
  };

  it('is asked which goal it leaves when it works on several', () => {
    const play = off(withGoals());
    expect([play.model.overlay, play.model.prompt.text]).toEqual([null, ':cancel ']);
    expect(play.model.completion?.items.map(({ text }) => text)).toEqual(['g21', 'g20']);
    expect(play.press('tab', 'enter').model.overlay).toMatchObject({ text: 'abort goal 21? y/N ' });
  });

  it.each([' 20', ' g20', ' G20'])('leaves the one that is named: off%s', (which) => {
    expect(off(withGoals(), which).model.overlay).toMatchObject({ text: 'abort goal 20? y/N ' });
  });

  it('says when the one that is named is none of them', () => {
    expect(off(withGoals(), ' g4').model.flash?.text).toBe('goal 4 has ended already');
    expect(off(withGoals(), ' g99').model.flash?.text).toBe('there is no goal 99 in the list');
    expect(off(withGoals([])).model.flash?.text).toBe('Norris works on nothing');
  });

  it('is asked about the only one at once', () => {
    expect(off(withGoals([goalOf(7)])).model.overlay).toMatchObject({ text: 'abort goal 7? y/N ' });
  });

  it('is asked which by Ctrl-X Ctrl-C, too, but for the one that is chosen', () => {
    expect(withGoals().press('ctrl-x', 'ctrl-c').model.prompt.text).toBe(':cancel ');
    expect(withGoals().press('f2', 'ctrl-x', 'ctrl-c').model.overlay).toMatchObject({ text: 'abort goal 21? y/N ' });
  });
});

describe('Ctrl-C while the model answers', () => {
  const session = sessionOf(5);
  const received = (text: string) =>
    eventOf(2, { type: 'message.received', exchange: 1, text, by: 'ann', turn: 1 }, session.id);

  it('stops it, and what was to be said next is in the prompt again', () => {
    const play = new Play()
      .send({ type: 'chatOpened', session, isNew: false })
      .type('one')
      .press('enter')
      .send({ type: 'happened', sessionId: session.id, event: received('one') })
      .type('two')
      .press('enter')
      .type('three')
      .press('enter')
      .type('and');
    play.done();
    expect(play.press('ctrl-c').done()).toEqual([{ type: 'stopChat', sessionId: session.id }]);
    expect(play.model.prompt.text).toBe('two\nthree\nand');
    expect(play.model.chat.outbox).toEqual([]);
  });
});
