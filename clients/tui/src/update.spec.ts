import { describe, expect, it } from '@jest/globals';
import { ApiError } from '@aish/client/api.error';
import { decisionOf, eventOf, goalOf, sessionOf, uuid } from '@aish/client/testing/fixtures';
import { Play } from './testing/play.js';
import { line, span } from '@aish/views/line';
import { withPane } from './update/panes.update.js';
import { whereabouts } from './update/restore.update.js';

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
  ] as const)('the key %s at a HALT answers %s', (key, which) =>
    expect(withHalt().alone(key).done()).toEqual([verdict(which)]),
  );

  it('Enter, space and other keys do not answer a HALT', () => {
    const play = withHalt().alone('enter', ' ', 'y', 'x', 'ctrl-j', 'tab', 'linefeed');
    expect(play.done()).toEqual([]);
    expect(overlay(play)).toBe('halt');
  });

  it('a HALT ignores the keys of a person who is typing when it opens', () => {
    const play = new Play().send({ type: 'decisionsListed', decisions: [halted] });
    expect(play.type('please stop', 200).wait(2_000).done()).toEqual([]);
    expect(play.press('ctrl-d').wait(1_000).alone('p').done()).toEqual([verdict('proceed')]);
  });

  it('a paste does not answer a HALT', () => {
    expect(withHalt().send({ type: 'pasted', text: 'p' }).done()).toEqual([]);
  });

  it('a HALT waits while the prompt has text, and opens when the prompt is empty', () => {
    const play = new Play().type('ls').send({ type: 'decisionsListed', decisions: [halted] });
    expect(overlay(play)).toBeUndefined();
    expect(overlay(play.press('ctrl-d'))).toBe('halt');
    expect(play.wait(500).press('escape').model.prompt.text).toBe('ls');
    const other = new Play().type('l').send({ type: 'decisionsListed', decisions: [halted] });
    expect(overlay(other.press('backspace'))).toBe('halt');
    expect(other.alone('p').done()).toEqual([]);
  });

  it('Ctrl-D, or d in a list, opens a closed HALT again', () => {
    const play = withHalt().press('escape');
    expect(overlay(play.send({ type: 'decisionsListed', decisions: [halted] }))).toBeUndefined();
    expect(overlay(play.press('ctrl-d'))).toBe('halt');
    expect(overlay(play.wait(500).press('escape', 'f2', 'd'))).toBe('halt');
  });

  it('a closed HALT stays closed while another one is opened from the list', () => {
    const play = new Play().send({ type: 'decisionsListed', decisions: [halted, decisionOf(2)] }).wait(500);
    play.press('escape').wait(500).press('escape', 'f3', 'down', 'enter').wait(500);
    expect(play.model.overlay).toMatchObject({ type: 'halt', decision: { number: 2 } });
    expect(overlay(play.press('f1'))).toBeUndefined();
    expect(play.model.closedDecisions).toEqual([halted.id, decisionOf(2).id]);
  });

  it('the key d types the letter d while no decision is open', () => {
    expect(new Play().press('d').model.prompt.text).toBe('d');
  });

  it('the terminal sends one verdict, however often the key is pressed', () => {
    expect(withHalt().alone('p', 'p', 's').done()).toEqual([verdict('proceed')]);
  });

  it('a HALT closes when someone else answers it, and a message names that person', () => {
    const play = withHalt().send({ type: 'decisionsListed', decisions: [] });
    expect(overlay(play)).toBeUndefined();
    expect(play.done()).toEqual([{ type: 'seeDecision', decisionId: halted.id }]);
    play.send({ type: 'decisionSeen', decision: { ...halted, state: 'decided', verdict: 'skip', decidedBy: 'ann' } });
    expect(play.model.flash?.text).toBe('d1 was answered elsewhere: skip by ann');
  });

  it('an open HALT shows new approvals, but shows a changed action only after its verdict was refused', () => {
    const approval = { needed: 2, given: [], author: null, isOpen: null, opensAt: null, waitsUntil: null };
    const shown = { ...halted, version: 'one', approval };
    const ann = { by: 'ann', at: halted.createdAt, version: 'one', inWindow: false, carried: false };
    const play = new Play().send({ type: 'decisionsListed', decisions: [shown] });
    const approved = { ...shown, approval: { ...approval, given: [ann] } };
    play.send({ type: 'decisionsListed', decisions: [approved] });
    expect(play.model.overlay).toMatchObject({ type: 'halt', decision: approved });
    play.send({ type: 'decisionsListed', decisions: [{ ...approved, version: 'two', action: 'rm -rf /' }] });
    expect(play.model.overlay).toMatchObject({ type: 'halt', decision: approved });

    // The verdict is for the text that was read. The server refuses the verdict, and the new version is shown.
    play.wait(500).alone('p');
    expect(play.done()).toEqual([
      { type: 'giveVerdict', decisionId: halted.id, given: { verdict: 'proceed', version: 'one' } },
    ]);
    const error = new ApiError('answered', 'decision_changed', 'Decision d1 is not what was shown', { status: 409 });
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
  const windowApproval = { by: 'ann', at: halted.createdAt, version: 'one', inWindow: true, carried: false };
  const withWindow = (given: (typeof windowApproval)[]) =>
    new Play()
      .send({ type: 'decisionsListed', decisions: [{ ...windowed, approval: { ...windowed.approval, given } }] })
      .wait(500);

  it('the key i approves the action for the change window, if the space has one', () => {
    const given = { verdict: 'proceed', inWindow: true, version: 'one' };
    expect(withWindow([]).alone('i').done()).toEqual([{ type: 'giveVerdict', decisionId: halted.id, given }]);
    const without = withHalt().alone('i');
    expect(without.done()).toEqual([]);
    expect(without.model.flash?.text).toContain('the space has no change window');
  });

  it('the key b withdraws an approval once, and the decision stays open', () => {
    const play = withWindow([windowApproval]).alone('b', 'b');
    expect(play.done()).toEqual([{ type: 'takeBack', decisionId: halted.id }]);
    const error = new ApiError('unreachable', 'unreachable', 'no answer');
    play.send({ type: 'verdictRefused', decisionId: halted.id, error });
    expect(play.model.overlay).toMatchObject({ type: 'halt', sending: null, trouble: 'Not sent: no answer' });
    const nobody = withWindow([]).alone('b');
    expect(nobody.done()).toEqual([]);
    expect(nobody.model.flash?.text).toContain('nobody has approved it yet');
  });

  it('if the server refuses a verdict, the terminal shows the verdict that came first', () => {
    const error = new ApiError('answered', 'decision_taken', 'Decision d1 was answered with skip by ann', {
      status: 409,
    });
    const play = withHalt().alone('p').send({ type: 'verdictRefused', decisionId: halted.id, error });
    expect(overlay(play)).toBeUndefined();
    expect(play.model.flash?.text).toContain('skip by ann');
    // An older list may still contain the decision.
    expect(overlay(play.send({ type: 'decisionsListed', decisions: [halted] }))).toBeUndefined();
  });

  it('a HALT stays open if the verdict could not be sent', () => {
    const error = new ApiError('unreachable', 'unreachable', 'no answer');
    const play = withHalt().alone('p').send({ type: 'verdictRefused', decisionId: halted.id, error });
    expect(play.model.overlay).toMatchObject({ type: 'halt', sending: null, trouble: 'Not sent: no answer' });
    play.done();
    expect(play.alone('p').done()).toEqual([verdict('proceed')]);
  });

  it('a long action can be approved only after its last page has been shown', () => {
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

  it('the next open decision appears after a HALT is answered', () => {
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

describe('the prompt of the terminal UI', () => {
  it(':norris in the prompt creates a goal, with the open chat as its background', () => {
    const play = new Play().type(':norris list files').press('enter');
    expect(play.done()).toEqual([remember(':norris list files'), { type: 'createGoal', text: 'list files' }]);
    // In a chat, the conversation is the background of the goal.
    const chatting = new Play().send({ type: 'chatOpened', session: sessionOf(5), isNew: false });
    chatting.done();
    const given = { type: 'createGoal', text: 'do that', chat: sessionOf(5).id };
    expect(chatting.type(':norris do that').press('enter').done()).toContainEqual(given);
    expect(play.model.prompt.text).toBe('');
  });

  it(':norris reads --steps only before the text of the goal', () => {
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
      'the options of a goal here are --steps, --space, --trust, --priority; more: aish run --help',
    ],
  ])('the line %j creates no goal and leaves %j in the prompt: %s', (typed, kept, flash) => {
    const play = new Play().type(typed).press('enter');
    expect(play.done()).not.toContainEqual(expect.objectContaining({ type: 'createGoal' }));
    expect([play.model.prompt.text, play.model.isPromptOpen, play.model.flash?.text]).toEqual([kept, true, flash]);
  });

  it('the text of a goal that the server refuses returns to the prompt', () => {
    const error = new ApiError('answered', 'invalid_body', 'too long', { status: 400 });
    const play = new Play().send({ type: 'goalRefused', text: 'list files', error });
    expect([play.model.prompt.text, play.model.flash?.text]).toEqual([':norris list files', 'too long']);
  });

  it('a pasted text of several lines is sent as one message', () => {
    const play = new Play().send({ type: 'pasted', text: 'one\r\ntwo' }).press('enter');
    expect(play.done()).toEqual([remember('one\ntwo'), sendMessage('one\ntwo')]);
  });

  it('the prompt can be edited with the usual keys', () => {
    const play = new Play().type('one two').press('ctrl-w').type('日').press('left', 'home', 'delete');
    expect(play.model.prompt).toEqual({ text: 'ne 日', cursor: 0 });
    expect(play.press('end', 'ctrl-u').model.prompt.text).toBe('');
  });

  it('Ctrl-N puts :norris before the text in the prompt', () => {
    expect(new Play().type('ls').press('ctrl-n').model.prompt).toEqual({ text: ':norris ls', cursor: 10 });
  });

  it('an unknown command is refused and stays in the prompt', () => {
    const play = new Play().type(':nope').press('enter');
    expect([play.done(), play.model.prompt.text]).toEqual([[], ':nope']);
  });
});

describe('goals', () => {
  const goals = [goalOf(3, { state: 'done' }), goalOf(2), goalOf(1, { state: 'done' })];
  const listed = () => new Play().press('f2').send({ type: 'goalsListed', goals });

  it('the running goal is selected first, and the arrow keys select another', () => {
    const play = listed();
    expect(play.done()).toContainEqual({ type: 'followSession', place: 'goal', sessionId: uuid(1002) });
    expect(play.press('up').done()).toEqual([{ type: 'followSession', place: 'goal', sessionId: uuid(1003) }]);
    expect(play.press('up').done()).toEqual([]);
  });

  it('only the timeline of the selected goal is shown', () => {
    const body = { type: 'step.started', goalId: uuid(1), step: 1, stepBudget: 16 } as const;
    const event = eventOf(2, body);
    expect(listed().send({ type: 'happened', sessionId: uuid(1001), event }).model.goalFeed.timeline.entries).toEqual(
      [],
    );
    expect(
      listed().send({ type: 'happened', sessionId: uuid(1002), event }).model.goalFeed.timeline.entries,
    ).toHaveLength(1);
  });

  it('a new goal is followed even if an older list arrives after it', () => {
    const created = goalOf(4);
    const play = listed().send({ type: 'goalCreated', goal: created }, { type: 'goalsListed', goals });
    expect([play.model.chosen, play.model.goals?.map(({ number }) => number)]).toEqual([created.id, [4, 3, 2, 1]]);
  });

  it('Ctrl-X Ctrl-C asks before it cancels the selected goal', () => {
    const play = listed().press('ctrl-x', 'ctrl-c');
    expect(play.model.overlay).toMatchObject({ type: 'question', text: 'abort goal 2? y/N ' });
    play.done();
    expect(play.press('enter').done()).toEqual([]);
    expect(play.press('ctrl-x', 'ctrl-c').alone('y').done()).toEqual([{ type: 'cancelGoal', goalId: uuid(2) }]);
  });

  it('Ctrl-C pauses the selected goal, and r resumes it', () => {
    const play = listed();
    play.done();
    expect(play.press('ctrl-c').done()).toEqual([{ type: 'pauseGoal', goalId: uuid(2) }]);
    play.send({ type: 'goalPaused', goal: goalOf(2, { state: 'paused' }) }).press('ctrl-c');
    expect(play.done()).toEqual([]);
    expect(play.alone('r').done()).toEqual([{ type: 'resumeGoal', goalId: uuid(2) }]);
  });

  it('the key r asks before it gives an ended goal more steps', () => {
    const play = listed().send({ type: 'goalsListed', goals: [goalOf(2, { state: 'exhausted' })] });
    play.done();
    expect(play.alone('r', 'n').done()).toEqual([]);
    expect(play.alone('r', 'y').done()).toEqual([{ type: 'continueGoal', goalId: uuid(2) }]);
  });

  it('the key u previews the undo of the newest command, then of the one before, and y undoes it', () => {
    const play = listed();
    play.done();
    const sessionId = goalOf(2).sessionId;
    expect(play.press('u').done()).toEqual([{ type: 'previewUndo', sessionId, nth: 0 }]);
    const yes = { type: 'runMeta', title: 'before step 3?', words: ['undo', uuid(7), '--yes'], reload: [] } as const;
    const older = { type: 'previewUndo', sessionId, nth: 1 } as const;
    const lines = [line('rm -r d'), line('recreated: 1 file, 8 B')];
    play.send({ type: 'metaDone', title: 'before step 3?', lines, isGood: true, yes, candidates: 0, older });
    expect(play.press('u').wait(1_000).done()).toEqual([older]);
    play.send({ type: 'metaDone', title: 'before step 2?', lines, isGood: true, yes, candidates: 0 });
    expect(play.press('u').wait(1_000).done()).toEqual([]);
    expect(play.alone('y').done()).toEqual([yes]);
  });

  it('the terminal lists the grants of a goal, and x removes one', () => {
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

  it('any other key or a paste cancels the first Ctrl-C', () => {
    for (const other of [
      ['x', 'backspace'],
      ['f2', 'f1'],
    ]) {
      expect(new Play().press('ctrl-c', ...other, 'ctrl-c').done()).not.toContainEqual({ type: 'quit' });
    }
    const pasted = new Play().press('ctrl-c').send({ type: 'pasted', text: 'x' }).press('ctrl-c', 'ctrl-c');
    expect(pasted.done()).not.toContainEqual({ type: 'quit' });
  });

  it("a line that looks like another program's command is sent at the second Enter", () => {
    const play = new Play().type('/help').press('enter');
    expect(play.done()).toEqual([]);
    expect(play.model.prompt.text).toBe('/help');
    expect(play.press('enter').done()).toContainEqual(expect.objectContaining({ type: 'sendMessage', text: '/help' }));
  });

  it('a second Ctrl-C quits if nothing is running', () => {
    const play = new Play().press('ctrl-c');
    expect(play.done()).toEqual([]);
    expect(play.press('ctrl-c').done()).toEqual([{ type: 'quit' }]);
  });

  it('Ctrl-C first clears the prompt, then shows a warning, and quits at the third press', () => {
    const play = new Play().type('half a thought').press('ctrl-c');
    expect([play.model.prompt.text, play.model.flash?.text]).toEqual(['', 'cleared; ↑ brings it back']);
    play.press('ctrl-c');
    expect(play.model.flash?.text).toBe('press Ctrl-C again to quit; goals continue');
    expect(play.done()).toEqual([]);
    expect(play.press('ctrl-c').done()).toEqual([{ type: 'quit' }]);
    expect(new Play().type('half a thought').press('ctrl-c', 'up').model.prompt.text).toBe('half a thought');
  });

  it('Ctrl-C only clears the prompt again after a pause or another key', () => {
    const text = ({ model }: Play) => model.flash?.text;
    const cleared = () => new Play().type('one').press('ctrl-c');
    expect(text(cleared().wait(9_000).type('two').press('ctrl-c'))).toMatch(/^cleared/);
    expect(text(cleared().press('up', 'ctrl-c'))).toMatch(/^cleared/);
  });

  it('Ctrl-X Ctrl-E opens the prompt in the editor, and a failed editor leaves the prompt unchanged', () => {
    const play = new Play().type('ab').press('ctrl-x', 'ctrl-e');
    expect(play.done()).toEqual([{ type: 'writeInEditor', text: 'ab' }]);
    play.send({ type: 'edited', before: 'ab', edited: { trouble: 'the editor failed: vi (exit 1)' } });
    expect([play.model.prompt.text, play.model.flash?.text]).toEqual(['ab', 'the editor failed: vi (exit 1)']);
    play.send({ type: 'edited', before: 'ab', edited: { text: 'a\nb' } });
    expect(play.model.prompt).toEqual({ text: 'a\nb', cursor: 3 });
    play.send({ type: 'edited', before: '', edited: { text: 'c' } });
    expect(play.model.prompt.text).toBe('c\na\nb');
  });

  it('Tab after @ requests suggestions and inserts the one that matches', () => {
    const play = listed().press('f1').type('look at @na');
    play.done();
    expect(play.press('tab').done()).toEqual([
      expect.objectContaining({ type: 'suggestNames', sessionId: null, folder: '', from: 8, text: 'look at @na' }),
    ]);
    const named = (...texts: string[]) => texts.map((text) => ({ text, about: '' }));
    play.send({ type: 'suggested', from: 8, text: 'look at @na', items: named('@nas', '@g2') });
    expect(play.model.prompt.text).toBe('look at @nas');
    play.type(' @logs/').press('tab');
    expect(play.done()).toMatchObject([{ type: 'suggestNames', folder: 'logs/', from: 13 }]);
    expect(new Play().type('mail me@home').press('tab').done()).toEqual([]);
  });

  it('Tab after @ lists goals and hosts before the files arrive, and adds the files to a list in use', () => {
    const named = (...texts: string[]) => texts.map((text) => ({ text, about: '' }));
    const play = new Play().type('see @').press('tab');
    const at = { type: 'suggested', from: 4, text: 'see @' } as const;
    play.send({ ...at, items: named('@g1'), isPartial: true });
    // The only name so far is not inserted, because a file may be meant.
    expect([play.model.prompt.text, play.model.completion?.items.length]).toEqual(['see @', 1]);
    const waiting = play.model;
    play.send({ ...at, items: named('@notes.md', '@g1') });
    expect(play.model.completion?.items.map(({ text }) => text)).toEqual(['@notes.md', '@g1']);
    play.model = waiting;
    play.press('tab').send({ ...at, items: named('@notes.md', '@g1') });
    expect(play.model.prompt.text).toBe('see @g1');
    expect(play.model.completion?.items.map(({ text }) => text)).toEqual(['@g1', '@notes.md']);
    expect(play.press('tab').model.prompt.text).toBe('see @notes.md');
  });

  it('Esc and ? lead from the help back to where it was opened', () => {
    const help = () => listed().press('?');
    expect(help().model.view).toBe('help');
    expect(help().press('escape').model.view).toBe('goals');
    expect(help().press('?').model.view).toBe('goals');
    expect(listed().press('escape').model.view).toBe('goals');
    const inline = listed();
    inline.model = { ...inline.model, isInline: true };
    expect(inline.press('escape').model.view).toBe('chat');
  });

  it('!command runs in the workspace of the chat or the selected goal, and Ctrl-C stops it', () => {
    const play = new Play().send({ type: 'chatOpened', session: sessionOf(5), isNew: false });
    play.done();
    play.type('!ls -l').press('enter');
    const ran = { type: 'runCommand', sessionId: sessionOf(5).id, preset: 'fast', command: 'ls -l' };
    expect(play.done()).toContainEqual(ran);
    play.type('!pwd').press('enter');
    expect([play.done(), play.model.prompt.text]).toEqual([[], '!pwd']);
    expect(play.press('ctrl-c').done()).toEqual([{ type: 'stopCommand' }]);
    play.send({ type: 'commandEnded', command: 'ls -l', refused: null });
    expect(play.press('enter').done()).toContainEqual(expect.objectContaining({ type: 'runCommand', command: 'pwd' }));
    const goal = listed().type('!').type('ls').press('enter');
    expect(goal.model.view).toBe('goals');
    expect(goal.done()).toContainEqual(
      expect.objectContaining({ type: 'runCommand', sessionId: goalOf(2).sessionId, command: 'ls' }),
    );
  });

  it('a prompt that is cleared while a question waits says how to get it back', () => {
    const play = new Play().type('half a message');
    play.send({ type: 'decisionsListed', decisions: [decisionOf(1)] }).press('ctrl-c');
    expect(play.model.flash?.text).toBe('cleared; Esc, then ↑ brings it back');
    expect(play.wait(600).press('escape', 'up').model.prompt.text).toBe('half a message');
  });

  it('all waiting messages return to the prompt when one is refused, before the text typed since', () => {
    const gone = new ApiError('unreachable', 'unreachable', 'no answer');
    const play = new Play().type('one').press('enter').type('two').press('enter').type('thre');
    play.press('left').send({ type: 'messageRefused', text: 'one', error: gone });
    expect(play.model.prompt).toEqual({ text: 'one\ntwo\nthre', cursor: 11 });
    expect(play.model.chat.outbox).toEqual([]);
  });

  it('a refused message or command does not get into a note at a HALT', () => {
    const gone = new ApiError('unreachable', 'unreachable', 'no answer');
    const noting = () => {
      const play = new Play().type('one').press('enter');
      play.send({ type: 'decisionsListed', decisions: [decisionOf(1)] });
      return play.wait(2_000).alone('m');
    };
    const said = noting().send({ type: 'messageRefused', text: 'one', error: gone });
    expect(said.model.prompt.text).toBe('');
    expect(said.type('a note').press('enter').model.prompt.text).toBe('one');
    const ran = noting().send({ type: 'commandEnded', command: 'ls', refused: gone });
    expect(ran.model.prompt.text).toBe('');
    expect(ran.press('escape').model.prompt.text).toBe('!ls');
  });

  it('a refused command that has no room in the prompt is named in the history', () => {
    const gone = new ApiError('unreachable', 'unreachable', 'no answer');
    const play = new Play().type('!ls').press('enter').type('half');
    play.send({ type: 'commandEnded', command: 'ls', refused: gone });
    expect([play.model.prompt.text, play.model.flash?.text]).toEqual(['half', 'no answer (↑ brings !ls back)']);
  });

  it('a refused !command returns to the prompt', () => {
    const refused = new ApiError('answered', 'locked', 'Goal 4 is working');
    const play = new Play().type('!ls').press('enter').send({ type: 'commandEnded', command: 'ls', refused });
    expect([play.model.prompt.text, play.model.flash?.text]).toEqual(['!ls', 'Goal 4 is working']);
  });

  it('any other key cancels Ctrl-X', () => {
    const play = listed().press('ctrl-x', 'x', 'y');
    expect([play.model.overlay, play.model.hasPrefix]).toEqual([null, false]);
  });
});

describe('memory proposals', () => {
  const note = [span('2 older turns did not fit.')];
  const proposed = (play: Play) =>
    play.send({ type: 'metaDone', title: '', lines: [note], isGood: true, yes: null, candidates: 2 });

  it('new proposals open the memory view and clear its filter and selection', () => {
    const play = new Play();
    play.model = withPane(play.model, 'memory', { chosen: 'i1', filter: 'nas' });
    expect(proposed(play).done()).toEqual([{ type: 'loadPane', pane: 'memory', filter: '' }]);
    expect(play.model).toMatchObject({ view: 'memory', panes: { memory: { chosen: null, filter: '' } } });
    expect(play.model.flash?.text).toBe('2 proposals to review in the memory · 2 older turns did not fit.');
  });

  it('proposals do not interrupt a person who is typing or has a HALT open', () => {
    const typing = proposed(new Play().type('ls'));
    expect([typing.model.view, typing.model.prompt.text]).toEqual(['chat', 'ls']);
    expect(typing.model.flash?.text).toContain('2 proposals to review in the memory');
    expect(overlay(proposed(withHalt()))).toBe('halt');
  });
});

describe('the place that is kept for a later start', () => {
  it('notes and edits at a question are kept with the prompt', () => {
    const play = new Play().type('a message');
    play.send({ type: 'decisionsListed', decisions: [decisionOf(1)] });
    play.press('ctrl-d').wait(2_000).alone('m').type('a note').press('enter').wait(2_000).alone('e').type(' --dry');
    expect(whereabouts(play.model).prompt).toBe(`a message\na note\n${decisionOf(1).action} --dry`);
    play.press('escape').wait(2_000).alone('e');
    expect(whereabouts(play.model).prompt).toBe('a message\na note');
  });
});

describe('the result of a command', () => {
  const lines = [line('a'), line('b')];
  const answered = (play: Play, title: string) =>
    play.send({ type: 'metaDone', title, lines, isGood: true, yes: null, candidates: 0 });
  const title = ({ model }: Play) => (model.overlay?.type === 'page' ? model.overlay.title : model.overlay?.type);

  it('the result of a command opens after the open page is closed', () => {
    const play = answered(answered(new Play(), ':schedule list'), ':audit');
    expect(title(play)).toBe(':schedule list');
    expect(title(play.press('escape'))).toBe(':audit');
    expect(title(play.press('escape'))).toBeUndefined();
  });

  it('results of commands open one after the other when an open decision or menu is closed', () => {
    const play = answered(answered(withHalt(), ':audit'), ':space list');
    expect(title(play)).toBe('halt');
    expect(play.model.flash?.text).toBe(':space list: done. The result opens after this');
    expect(title(play.press('escape'))).toBe(':audit');
    expect(title(play.press('escape'))).toBe(':space list');
    expect(title(answered(new Play().press('ctrl-p'), ':audit').press('escape'))).toBe(':audit');
  });
});

describe('the command :remember', () => {
  const enter = (play: Play, text: string) => play.type(text).press('enter').done();
  const ran = (...words: string[]) => ({
    type: 'runMeta',
    title: ':remember odin has 4 disks',
    words,
    reload: ['memory'],
  });
  const line = ':remember odin has 4 disks';

  it(':remember passes the session of the open chat to the command', () => {
    const play = new Play().send({ type: 'chatOpened', session: sessionOf(5), isNew: false });
    play.done();
    expect(enter(play, line)).toContainEqual(
      ran('remember', '--session', sessionOf(5).id, 'odin', 'has', '4', 'disks'),
    );
    expect(enter(play, ':remember --kind pref terse')).toContainEqual(
      expect.objectContaining({ words: ['remember', '--session', sessionOf(5).id, '--kind', 'pref', 'terse'] }),
    );
  });

  it(':remember also passes the session during the first answer of a new chat', () => {
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

  it(':remember needs no chat', () => {
    expect(enter(new Play(), line)).toContainEqual(ran('remember', 'odin', 'has', '4', 'disks'));
  });
});

describe('the connection to the server', () => {
  const types = (play: Play) => play.done().map(({ type }) => type);

  it('a new connection reloads the goals, decisions and models', () => {
    expect(types(new Play().send({ type: 'connected' }))).toEqual(['listGoals', 'listDecisions', 'listModels']);
  });

  it('the connection is "offline" after a loss and "refused" after a refusal', () => {
    const lost = new ApiError('unreachable', 'unreachable', 'gone');
    const refused = new ApiError('answered', 'unauthorized', 'unknown token', { status: 401 });
    expect(new Play().send({ type: 'disconnected', error: lost }).model.connection.state).toBe('offline');
    expect(new Play().send({ type: 'disconnected', error: refused }).model.connection.state).toBe('refused');
  });

  it('a notice reloads only the lists that it concerns', () => {
    expect(types(new Play().send({ type: 'noticed', types: ['action.started'] }))).toEqual([]);
    expect(types(new Play().send({ type: 'noticed', types: ['decision.requested', 'goal.changed'] }))).toEqual([
      'listGoals',
      'listDecisions',
    ]);
  });

  it('an idle terminal UI sends no requests', () => {
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

  it('Ctrl-N gives Norris another goal while it works, and no letter is lost', () => {
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

  it(':cancel asks which goal to cancel if there are several', () => {
    const play = off(withGoals());
    expect([play.model.overlay, play.model.prompt.text]).toEqual([null, ':cancel ']);
    expect(play.model.completion?.items.map(({ text }) => text)).toEqual(['g21', 'g20']);
    expect(play.press('tab', 'enter').model.overlay).toMatchObject({ text: 'abort goal 21? y/N ' });
  });

  it.each([' 20', ' g20', ' G20'])(':cancel accepts the name of a goal: :cancel%s', (which) => {
    expect(off(withGoals(), which).model.overlay).toMatchObject({ text: 'abort goal 20? y/N ' });
  });

  it(':cancel reports a goal that is unknown or has ended', () => {
    expect(off(withGoals(), ' g4').model.flash?.text).toBe('goal 4 has already ended');
    expect(off(withGoals(), ' g99').model.flash?.text).toBe('there is no goal 99 in the list');
    expect(off(withGoals([])).model.flash?.text).toBe('Norris has no goal');
  });

  it(':cancel asks for confirmation at once if there is only one goal', () => {
    expect(off(withGoals([goalOf(7)])).model.overlay).toMatchObject({ text: 'abort goal 7? y/N ' });
  });

  it('Ctrl-X Ctrl-C asks which goal to cancel, unless one is selected', () => {
    expect(withGoals().press('ctrl-x', 'ctrl-c').model.prompt.text).toBe(':cancel ');
    expect(withGoals().press('f2', 'ctrl-x', 'ctrl-c').model.overlay).toMatchObject({ text: 'abort goal 21? y/N ' });
  });
});

describe('Ctrl-C while the model answers', () => {
  const session = sessionOf(5);
  const received = (text: string) =>
    eventOf(2, { type: 'message.received', exchange: 1, text, by: 'ann', turn: 1 }, session.id);

  it('Ctrl-C stops the answer, and queued messages return to the prompt', () => {
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

  it('the second Ctrl-C does not clear the returned messages, and the third one quits', () => {
    const play = new Play()
      .send({ type: 'chatOpened', session, isNew: false })
      .type('one')
      .press('enter')
      .type('two')
      .press('enter', 'ctrl-c')
      .send({ type: 'said', text: 'stopped', style: 'warn' });
    play.done();
    expect(play.press('ctrl-c').model.prompt.text).toBe('one\ntwo');
    expect([play.done(), play.model.flash?.text]).toEqual([[], 'press Ctrl-C again to quit; goals continue']);
    expect(play.press('ctrl-c').done()).toEqual([{ type: 'quit' }]);
  });
});
