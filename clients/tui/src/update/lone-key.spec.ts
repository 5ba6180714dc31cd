import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { ApiError } from '@aish/client/api.error';
import type { Effect } from '../messages.js';
import { decisionOf, goalOf, sessionOf, uuid } from '@aish/client/testing/fixtures';
import { Play } from '../testing/play.js';
import { span, textOf } from '@aish/views/line';
import { frameOf } from '../views/frame.view.js';

const halted = decisionOf(1);
const chat = { goalId: null, goalNumber: null, goalText: null, stepBudget: null };
/** A decision of a chat comes up in that chat. */
const asks = (play: Play, decision = halted) => {
  if (decision.sessionId === halted.sessionId && decision.goalId === null) {
    play.send({ type: 'chatOpened', session: sessionOf(1), isNew: false }).done();
  }
  return play.send({ type: 'decisionsListed', decisions: [decision] });
};
const open = () => asks(new Play()).wait(2_000);
const verdict = (which: 'proceed' | 'skip') => ({
  type: 'giveVerdict',
  decisionId: halted.id,
  given: { verdict: which },
});
const screen = (play: Play) => frameOf(play.model).lines.map(textOf).join('\n');
const isOpen = (play: Play) => play.model.overlay?.type === 'halt';

const SENTENCE = 'a quick plan: please skip it, proceed and abort as agreed';

describe('a letter at a question that came up by itself', () => {
  it.each([
    ['p', 'proceed'],
    ['s', 'skip'],
  ] as const)('%s decides when nothing was typed a second before and half a second after it', (key, which) => {
    const play = open().press(key).wait(499);
    expect(play.done()).toEqual([]);
    expect(play.wait(1).done()).toEqual([verdict(which)]);
  });

  it('is shown as what will be done, and taken back by any other key', () => {
    const play = open().press('p');
    expect(screen(play)).toContain('p proceed… s skip');
    expect(screen(play)).toContain('in a moment; any other key takes it back');
    expect(play.press('backspace').wait(5_000).done()).toEqual([]);
    expect(screen(play)).toContain('p proceed  s skip');
    expect(play.press('a').press('ctrl-c').wait(5_000).done()).toEqual([]);
    expect(isOpen(play)).toBe(false); // Ctrl-C put it aside at once
  });

  it.each([0, 30, 100, 250, 450])(
    'decides nothing in a sentence typed at %i ms a key, and none of it is lost',
    (gap) => {
      for (const decision of [
        halted,
        decisionOf(1, { ...chat, kind: 'tool' }),
        decisionOf(1, { ...chat, kind: 'command' }),
      ]) {
        for (const waited of [0, 200, 450, 2_000]) {
          const play = asks(new Play(), decision).wait(waited).type(SENTENCE, gap).wait(5_000);
          expect(play.done()).toEqual([]);
          expect([play.model.prompt.text, isOpen(play)]).toEqual([SENTENCE, false]);
        }
      }
    },
  );

  it('decides nothing in any text whose keys are less than half a second apart, whenever it was begun', () => {
    const keys = fc.array(fc.tuple(fc.string({ minLength: 1, maxLength: 1 }), fc.integer({ min: 0, max: 499 })), {
      minLength: 2,
      maxLength: 30,
    });
    fc.assert(
      fc.property(keys, fc.integer({ min: 0, max: 5_000 }), (typed, begunMs) => {
        const play = asks(new Play()).wait(begunMs);
        for (const [key, gapMs] of typed) play.press(key).wait(gapMs);
        play.wait(5_000);
        expect([play.done(), play.model.prompt.text]).toEqual([[], typed.map(([key]) => key).join('')]);
      }),
    );
  });

  it('continues the text that is already in the prompt', () => {
    const play = asks(new Play().type('I want '));
    expect(isOpen(play)).toBe(false);
    play.press('ctrl-d').wait(2_000).type('a pause', 100).wait(5_000);
    expect([play.done(), play.model.prompt.text]).toEqual([[], 'I want a pause']);
  });

  it('comes back with Ctrl-D, and when the prompt is empty again; then a key alone decides', () => {
    const play = open().type('so', 90).wait(2_000);
    expect(screen(play)).toContain('1 decision waits: Ctrl-D to answer');
    expect(isOpen(play.press('ctrl-d'))).toBe(true);
    expect(play.wait(2_000).alone('s').done()).toEqual([verdict('skip')]);
    const other = open().type('so', 90).press('ctrl-u');
    expect(isOpen(other)).toBe(true);
    expect(other.wait(2_000).alone('s').done()).toEqual([verdict('skip')]);
  });

  it('does not decide within a second of typing, and says so', () => {
    const play = asks(new Play().type('hi').press('enter')).wait(900);
    play.done();
    expect(play.press('s').wait(5_000).done()).toEqual([]);
    expect(screen(play)).toContain('“s” came too soon to be an answer: press it again');
    expect(play.alone('s').done()).toEqual([verdict('skip')]);
  });

  it('does not decide while the question has only just come up', () => {
    const play = asks(new Play()).wait(300).press('p').wait(5_000);
    expect([play.done(), isOpen(play)]).toEqual([[], true]);
  });

  it('is not waited for by Ctrl-C, which puts the question aside as soon as it is up', () => {
    const play = asks(new Play()).press('ctrl-c');
    expect([play.done(), isOpen(play), play.model.aside]).toEqual([[], false, [halted.id]]);
  });

  it('decides also when the clock of the machine was put back since', () => {
    const play = asks(new Play().type('hi').press('ctrl-u')).wait(-3_600_000);
    play.done();
    expect(play.alone('s').done()).toEqual([verdict('skip')]);
  });

  it('does not decide anything else than what was on the screen when it was pressed', () => {
    const second = decisionOf(2);
    const play = open()
      .press('p')
      .send({ type: 'decisionsListed', decisions: [second] });
    play.wait(5_000);
    expect(play.done().filter(({ type }) => type === 'giveVerdict')).toEqual([]);
    expect(play.model.overlay).toMatchObject({ type: 'halt', decision: { id: second.id } });
  });

  it('does not grant in a burst', () => {
    expect(open().type('g').wait(600).type('cr', 50).wait(5_000).done()).toEqual([]);
    expect(open().alone('g', 'c').done()).toEqual([
      { type: 'giveVerdict', decisionId: halted.id, given: { verdict: 'proceed', grant: 'command' } },
    ]);
  });

  it('edits and previews nothing in a burst', () => {
    const play = open().type('even very good ideas', 60).wait(5_000);
    expect([play.done(), play.model.prompt.text]).toEqual([[], 'even very good ideas']);
  });

  it('says when it is no answer', () => {
    expect(screen(open().alone('x'))).toContain('“x” is no answer here');
  });

  it('counts again when the verdict could not be sent', () => {
    const error = new ApiError('unreachable', 'unreachable', 'no answer');
    const play = open().alone('p').send({ type: 'verdictRefused', decisionId: halted.id, error });
    play.done();
    expect(play.alone('p').done()).toEqual([verdict('proceed')]);
  });
});

describe('a paste at a question', () => {
  it.each(['p', 'a\n', 'proceed'])('%j is text for the prompt', (text) => {
    const play = open().send({ type: 'pasted', text }).wait(5_000);
    expect([play.done(), play.model.prompt.text]).toEqual([[], text]);
  });

  it('takes a letter along that was pressed just before', () => {
    const play = open().press('p').send({ type: 'pasted', text: 'lease' }).wait(5_000);
    expect([play.done(), play.model.prompt.text]).toEqual([[], 'please']);
  });

  it('decides nothing where it comes as keys, line breaks among them', () => {
    const play = open().press('a', 'enter', 's', 'enter', 'p').wait(5_000);
    expect(play.done()).toEqual([]);
  });
});

describe('typing in the prompt', () => {
  it('is never held back', () => {
    const play = new Play().type('pas', 100);
    expect([play.model.prompt.text, play.model.held]).toEqual(['pas', null]);
  });
});

describe('y', () => {
  const forget: Effect = { type: 'runMeta', title: '', words: [], reload: [] };
  const planned = () =>
    new Play().send({
      type: 'metaDone',
      title: ':kb delete',
      lines: [[span('one')], [span('two')]],
      isGood: true,
      yes: forget,
      candidates: 0,
    });

  it('carries a plan out when it stands alone', () => {
    expect(planned().wait(2_000).press('y').wait(499).done()).toEqual([]);
    expect(planned().wait(2_000).alone('y').done()).toEqual([forget]);
  });

  it('carries nothing out for a text that was begun before the plan came up; the text stays in the prompt', () => {
    const play = planned().type('yes, why not', 120).wait(5_000);
    expect([play.done(), play.model.prompt.text]).toEqual([[], 'yes, why not']);
  });

  it('answers a question when it stands alone, and a text is no', () => {
    const asked = () =>
      new Play()
        .press('f2')
        .send({ type: 'goalsListed', goals: [goalOf(2)] })
        .press('ctrl-x', 'ctrl-c');
    const yes = asked();
    yes.done();
    expect(yes.alone('y').done()).toEqual([{ type: 'cancelGoal', goalId: uuid(2) }]);
    const no = asked();
    no.done();
    expect(no.type('ye', 100).wait(5_000).done()).toEqual([]);
    expect(no.model.overlay).toBeNull();
  });
});

describe('proposals that came up by themselves', () => {
  const row = (key: string) => ({ key, line: [span(key)], find: key });
  const proposed = () =>
    new Play().send(
      { type: 'metaDone', title: '', lines: [], isGood: true, yes: null, candidates: 2 },
      { type: 'paneLoaded', pane: 'memory', rows: [row('c1'), row('c2')] },
    );
  const decided = (play: Play) => play.done().filter(({ type }) => type === 'actOnRow');

  it('are not accepted or dropped by a sentence, which stays in the prompt', () => {
    const play = proposed().wait(2_000).type('a new exam', 90).wait(5_000);
    expect([decided(play), play.model.prompt.text, play.model.isPromptOpen]).toEqual([[], 'a new exam', true]);
  });

  it('are accepted and dropped by a key alone', () => {
    const play = proposed().wait(2_000).press('a').wait(400);
    expect(decided(play)).toEqual([]);
    expect(decided(play.wait(100))).toEqual([{ type: 'actOnRow', pane: 'memory', key: 'c1', action: 'accept' }]);
    expect(decided(play.alone('x'))).toEqual([{ type: 'actOnRow', pane: 'memory', key: 'c1', action: 'remove' }]);
  });

  it('are a list like any other once a person moved in it or went there', () => {
    for (const play of [proposed().wait(2_000).press('down', 'up'), proposed().press('f1', 'f4')]) {
      expect(decided(play.alone('a'))).toEqual([{ type: 'actOnRow', pane: 'memory', key: 'c1', action: 'accept' }]);
    }
  });
});

describe('the goals after one was given in a chat', () => {
  const given = () => {
    const play = new Play().type(':norris look into it').press('enter');
    play.done();
    return play.send({ type: 'goalCreated', goal: goalOf(3) });
  };

  it.each([0, 90, 450])('take no letter of what is typed on at %i ms a key for one of their keys', (gapMs) => {
    const play = given();
    play.done();
    play.type('then the other disk', gapMs).wait(5_000);
    expect([play.done(), play.model.overlay, play.model.prompt.text]).toEqual([[], null, 'then the other disk']);
    expect(play.press('enter').done()).toContainEqual(
      expect.objectContaining({ type: 'sendMessage', text: 'then the other disk' }),
    );
  });

  it('know a key that stands alone, and from then on each at once', () => {
    const play = given().alone('t');
    expect(play.model.overlay?.type).toBe('grants');
    expect(play.press('escape', 't').model.overlay?.type).toBe('grants');
    expect(given().press('down', 't').model.overlay?.type).toBe('grants');
  });
});

describe('text that is typed over a list', () => {
  const inGoals = () => {
    const play = new Play().press('f2').send({ type: 'goalsListed', goals: [goalOf(2, { state: 'done' })] });
    play.done();
    return play.wait(2_000);
  };
  const decided = (play: Play) => play.done().filter(({ type }) => !/^(?:list|follow|load|see)/.test(type));

  it.each(['Are you there? restart nginx', 'nice, now clean up the disk', 'hello', 'Did it work', 'fix it'])(
    '%j is in the prompt and does nothing to a goal',
    (text) => {
      for (const gapMs of [0, 90, 250]) {
        const play = inGoals().type(text, gapMs).wait(5_000);
        expect([decided(play), play.model.prompt.text, play.model.isPromptOpen]).toEqual([[], text, true]);
      }
    },
  );

  it('and starts with a slash is no goal', () => {
    const play = new Play().press('f7').wait(2_000).type('/new', 90).press('enter').wait(5_000);
    expect(play.done().filter(({ type }) => ['createGoal', 'sendMessage'].includes(type))).toEqual([]);
  });

  it('and is pasted goes into the prompt', () => {
    const play = inGoals().send({ type: 'pasted', text: 'Archive\nthese' });
    expect([decided(play), play.model.prompt.text]).toEqual([[], 'Archive\nthese']);
  });

  it('is not what one letter is: it acts half a second later, and at once at its second press', () => {
    const play = inGoals().press('n').wait(499);
    expect(play.model.prompt.text).toBe('');
    expect(play.wait(1).model.prompt.text).toBe(':norris ');
    const listed = (number: number) => goalOf(number, { state: 'done' });
    const many = new Play().press('f2').send({ type: 'goalsListed', goals: [listed(3), listed(2)] });
    many.done();
    expect(many.press('A').done().length).toBe(0);
    expect(many.press('A').done().length).toBe(1);
  });

  it('leaves the keys that only move to act at once', () => {
    const play = inGoals().send({ type: 'goalsListed', goals: [goalOf(3), goalOf(2)] });
    const before = play.model.chosen;
    expect(play.press('j').model.chosen).not.toBe(before === play.model.chosen ? '' : before);
    expect(play.press('k', 'k').model.prompt.text).toBe('');
  });
});

describe('two decisions that wait', () => {
  it('are offered with that of the chat first that is looked at, and the oldest one anywhere else', () => {
    const mine = decisionOf(2, chat);
    const play = new Play().send({ type: 'chatOpened', session: sessionOf(1), isNew: false });
    play.send({ type: 'decisionsListed', decisions: [decisionOf(1, { sessionId: uuid(77) }), mine] });
    expect(play.model.overlay).toMatchObject({ decision: { id: mine.id } });
    const elsewhere = new Play().send({ type: 'chatOpened', session: sessionOf(1), isNew: false }).press('f2');
    elsewhere.send({ type: 'decisionsListed', decisions: [decisionOf(1, { sessionId: uuid(77) }), mine] });
    expect(elsewhere.model.overlay).toMatchObject({ decision: { id: decisionOf(1).id } });
  });
});

describe('text at a question', () => {
  const asked = () =>
    new Play()
      .press('f2')
      .send({ type: 'goalsListed', goals: [goalOf(2, { state: 'exhausted' })] })
      .alone('r');

  it.each(['I mean /dev/sdb', 'no, not that one', 'yes please', 'n/a', 'abort'])(
    '%j is no answer and no key: all of it goes into the prompt',
    (text) => {
      for (const gapMs of [0, 90, 400]) {
        const play = asked();
        play.done();
        play.type(text, gapMs).wait(5_000);
        expect([play.done(), play.model.overlay, play.model.prompt.text]).toEqual([[], null, text]);
      }
    },
  );

  it('is answered with no by n alone, and by Enter and Esc at once', () => {
    expect(asked().alone('n').model).toMatchObject({ overlay: null, prompt: { text: '' } });
    for (const key of ['enter', 'escape']) expect(asked().press(key).model.overlay).toBeNull();
  });
});

describe('what is typed while a page of output is shown', () => {
  const shown = () =>
    new Play().send({
      type: 'metaDone',
      title: ':mcp list',
      lines: [[span('one')], [span('two')]],
      isGood: true,
      yes: null,
      candidates: 0,
    });

  it('is a command: the page makes way', () => {
    const play = shown().type(':mcp remove demo', 60);
    expect([play.model.overlay, play.model.prompt.text]).toEqual([null, ':mcp remove demo']);
    expect(play.press('enter').done()).toContainEqual(
      expect.objectContaining({ type: 'runMeta', words: ['mcp', 'remove', 'demo'] }),
    );
  });

  it.each(['kill it', 'just look', 'jk', 'quite so', '? what', 'you there', 'q'])(
    '%j loses none of its letters',
    (text) => {
      const play = shown().wait(2_000).type(`${text} x`, 120).wait(5_000);
      expect([play.done(), play.model.prompt.text]).toEqual([[], `${text} x`]);
    },
  );

  it('still scrolls and closes with single keys', () => {
    expect(shown().wait(2_000).press('j').wait(2_000).press('k').model.overlay).toMatchObject({ type: 'page' });
    expect(shown().wait(2_000).alone('q').model).toMatchObject({ overlay: null, prompt: { text: '' } });
    expect(shown().wait(2_000).press('escape').model.overlay).toBeNull();
  });

  it('keeps a paste, too', () => {
    expect(shown().send({ type: 'pasted', text: 'two words' }).model).toMatchObject({
      overlay: null,
      prompt: { text: 'two words' },
    });
  });
});

describe('the keys of the views', () => {
  it('work at a HALT, which is put aside', () => {
    const play = open().press('f3');
    expect([play.model.view, play.model.overlay, play.model.aside]).toEqual(['decisions', null, [halted.id]]);
  });

  it('work over a page and at a question, which is no', () => {
    const page = new Play().send({
      type: 'metaDone',
      title: ':mcp list',
      lines: [[span('one')], [span('two')]],
      isGood: true,
      yes: null,
      candidates: 0,
    });
    expect(page.press('f4').model).toMatchObject({ view: 'memory', overlay: null });
  });
});

describe('a command after one that changed what it means', () => {
  const variables = [{ name: 'PATH', value: '/workspace/bin\u202e:/bin' }];
  const trapped = decisionOf(1, { surroundings: { folder: '/workspace/proj', variables, digest: 'd' } });
  const given = (more: object) => [
    { type: 'giveVerdict', decisionId: trapped.id, given: { verdict: 'proceed', ...more } },
  ];

  it('shows where it would begin, exactly, and runs with that only by a key of its own', () => {
    const play = asks(new Play(), trapped).wait(2_000);
    expect(screen(play)).toContain('in /workspace/proj');
    expect(screen(play)).toContain('earlier commands set PATH=/workspace/bin\\u{202e}:/bin');
    expect(screen(play)).toContain('w proceed with that');
    expect(play.press('w').wait(500).done()).toEqual(given({ carried: true }));
    expect(asks(new Play(), trapped).wait(2_000).press('p').wait(500).done()).toEqual(given({}));
  });

  it('has no such key where nothing was changed', () => {
    const play = open().press('w').wait(5_000);
    expect(screen(play)).not.toContain('proceed with that');
    expect(play.done()).toEqual([]);
  });
});

describe('a decision of a chat that is not shown', () => {
  const foreign = decisionOf(3, { ...chat, kind: 'command', sessionId: uuid(1077) });

  it('does not come up by itself, and says whose it is when it is opened', () => {
    const play = asks(new Play(), foreign);
    expect(isOpen(play)).toBe(false);
    expect(screen(play)).toContain('1 decision waits: Ctrl-D to answer');
    play.press('ctrl-d');
    expect(play.done()).toContainEqual({ type: 'seeSession', sessionId: uuid(1077) });
    expect(screen(play)).toContain('another chat asks');
    play.send({ type: 'sessionSeen', session: sessionOf(77, { title: 'nightly report' }) });
    expect(screen(play)).toContain('c77 “nightly report” asks');
  });

  it('comes up in the chat that it is of', () => {
    const session = sessionOf(77);
    const play = new Play().send({ type: 'chatOpened', session, isNew: false });
    expect(isOpen(asks(play, foreign))).toBe(true);
    expect(screen(play)).toContain('this chat asks');
  });
});
