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
/** Shows a decision of a chat, which opens in that chat. */
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

describe('a letter at a question that appeared by itself', () => {
  it.each([
    ['p', 'proceed'],
    ['s', 'skip'],
  ] as const)(
    'the key %s decides if no text was typed for a second before it and half a second after it',
    (key, which) => {
      const play = open().press(key).wait(499);
      expect(play.done()).toEqual([]);
      expect(play.wait(1).done()).toEqual([verdict(which)]);
    },
  );

  it('the screen shows a letter that is held back, and any other key cancels it', () => {
    const play = open().press('p');
    expect(screen(play)).toContain('p proceed… s skip');
    expect(screen(play)).toContain('in a moment; any other key cancels');
    expect(play.press('backspace').wait(5_000).done()).toEqual([]);
    expect(screen(play)).toContain('p proceed  s skip');
    expect(play.press('a').press('ctrl-c').wait(5_000).done()).toEqual([]);
    expect(isOpen(play)).toBe(false); // Ctrl-C closed the question at once
  });

  it('Ctrl-N at a question begins a goal, and the question stays open', () => {
    const play = open().press('ctrl-n').type('a quick plan', 30).wait(5_000);
    expect([isOpen(play), play.model.prompt.text]).toEqual([false, ':norris a quick plan']);
    expect(play.done()).toEqual([]);
    expect(play.model.decisions).toHaveLength(1);
  });

  it.each([0, 30, 100, 250, 450])('a sentence typed at %i ms per key decides nothing, and no letter is lost', (gap) => {
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
  });

  it('a text with less than half a second between its keys decides nothing, whenever it began', () => {
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

  it('text typed at a question is appended to the text in the prompt', () => {
    const play = asks(new Play().type('I want '));
    expect(isOpen(play)).toBe(false);
    play.press('ctrl-d').wait(2_000).type('a pause', 100).wait(5_000);
    expect([play.done(), play.model.prompt.text]).toEqual([[], 'I want a pause']);
  });

  it('Ctrl-D or an empty prompt opens the question again, and a single key then answers it', () => {
    const play = open().type('so', 90).wait(2_000);
    expect(screen(play)).toContain('1 pending decision: Ctrl-D to answer');
    expect(isOpen(play.press('ctrl-d'))).toBe(true);
    expect(play.wait(2_000).alone('s').done()).toEqual([verdict('skip')]);
    const other = open().type('so', 90).press('ctrl-u');
    expect(isOpen(other)).toBe(true);
    expect(other.wait(2_000).alone('s').done()).toEqual([verdict('skip')]);
  });

  it('a letter within a second of other typing decides nothing, and the screen asks for it again', () => {
    const play = asks(new Play().type('hi').press('enter')).wait(900);
    play.done();
    expect(play.press('s').wait(5_000).done()).toEqual([]);
    expect(screen(play)).toContain('“s” came too soon to be an answer: press it again');
    expect(play.alone('s').done()).toEqual([verdict('skip')]);
  });

  it('a letter decides nothing right after its question appeared', () => {
    const play = asks(new Play()).wait(300).press('p').wait(5_000);
    expect([play.done(), isOpen(play)]).toEqual([[], true]);
  });

  it('Ctrl-C closes a question at once, even right after it appeared', () => {
    const play = asks(new Play()).press('ctrl-c');
    expect([play.done(), isOpen(play), play.model.closedDecisions]).toEqual([[], false, [halted.id]]);
  });

  it('a letter still answers a question after the system clock was set back', () => {
    const play = asks(new Play().type('hi').press('ctrl-u')).wait(-3_600_000);
    play.done();
    expect(play.alone('s').done()).toEqual([verdict('skip')]);
  });

  it('a letter that is held back answers only the question that was open when it was pressed', () => {
    const second = decisionOf(2);
    const play = open()
      .press('p')
      .send({ type: 'decisionsListed', decisions: [second] });
    play.wait(5_000);
    expect(play.done().filter(({ type }) => type === 'giveVerdict')).toEqual([]);
    expect(play.model.overlay).toMatchObject({ type: 'halt', decision: { id: second.id } });
  });

  it('the key g in a burst of keys grants nothing', () => {
    expect(open().type('g').wait(600).type('cr', 50).wait(5_000).done()).toEqual([]);
    expect(open().alone('g', 'c').done()).toEqual([
      { type: 'giveVerdict', decisionId: halted.id, given: { verdict: 'proceed', grant: 'command' } },
    ]);
  });

  it('the keys e and v in typed text start no edit and no preview', () => {
    const play = open().type('even very good ideas', 60).wait(5_000);
    expect([play.done(), play.model.prompt.text]).toEqual([[], 'even very good ideas']);
  });

  it('the screen reports a letter that is not an answer', () => {
    expect(screen(open().alone('x'))).toContain('“x” is not an answer here');
  });

  it('a letter can give the verdict again if the first one could not be sent', () => {
    const error = new ApiError('unreachable', 'unreachable', 'no answer');
    const play = open().alone('p').send({ type: 'verdictRefused', decisionId: halted.id, error });
    play.done();
    expect(play.alone('p').done()).toEqual([verdict('proceed')]);
  });
});

describe('a paste at a question', () => {
  it.each(['p', 'a\n', 'proceed'])('a paste of %j at a question goes into the prompt', (text) => {
    const play = open().send({ type: 'pasted', text }).wait(5_000);
    expect([play.done(), play.model.prompt.text]).toEqual([[], text]);
  });

  it('a letter pressed just before a paste goes into the prompt with it', () => {
    const play = open().press('p').send({ type: 'pasted', text: 'lease' }).wait(5_000);
    expect([play.done(), play.model.prompt.text]).toEqual([[], 'please']);
  });

  it('a paste with line breaks that arrives as single keys decides nothing', () => {
    const play = open().press('a', 'enter', 's', 'enter', 'p').wait(5_000);
    expect(play.done()).toEqual([]);
  });
});

describe('typing in the prompt', () => {
  it('text typed in the prompt is never held back', () => {
    const play = new Play().type('pas', 100);
    expect([play.model.prompt.text, play.model.held]).toEqual(['pas', null]);
  });
});

describe('the key y', () => {
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

  it('the key y alone applies a plan', () => {
    expect(planned().wait(2_000).press('y').wait(499).done()).toEqual([]);
    expect(planned().wait(2_000).alone('y').done()).toEqual([forget]);
  });

  it('text that starts with y right after a plan appeared applies nothing and goes into the prompt', () => {
    const play = planned().type('yes, why not', 120).wait(5_000);
    expect([play.done(), play.model.prompt.text]).toEqual([[], 'yes, why not']);
  });

  it('the key y alone answers a question with yes, and text answers it with no', () => {
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

describe('proposals that appeared by themselves', () => {
  const row = (key: string) => ({ key, line: [span(key)], find: key });
  const proposed = () =>
    new Play().send(
      { type: 'metaDone', title: '', lines: [], isGood: true, yes: null, candidates: 2 },
      { type: 'paneLoaded', pane: 'memory', rows: [row('c1'), row('c2')] },
    );
  const decided = (play: Play) => play.done().filter(({ type }) => type === 'actOnRow');

  it('a typed sentence accepts and rejects no proposals, and goes into the prompt', () => {
    const play = proposed().wait(2_000).type('a new exam', 90).wait(5_000);
    expect([decided(play), play.model.prompt.text, play.model.isPromptOpen]).toEqual([[], 'a new exam', true]);
  });

  it('a single key accepts or rejects a proposal', () => {
    const play = proposed().wait(2_000).press('a').wait(400);
    expect(decided(play)).toEqual([]);
    expect(decided(play.wait(100))).toEqual([{ type: 'actOnRow', pane: 'memory', key: 'c1', action: 'accept' }]);
    expect(decided(play.alone('x'))).toEqual([{ type: 'actOnRow', pane: 'memory', key: 'c1', action: 'remove' }]);
  });

  it('a key acts on a proposal in a list that the person moved in or opened', () => {
    for (const play of [proposed().wait(2_000).press('down', 'up'), proposed().press('f1', 'f4')]) {
      expect(decided(play.alone('a'))).toEqual([{ type: 'actOnRow', pane: 'memory', key: 'c1', action: 'accept' }]);
    }
  });
});

describe('the list of goals after a goal was created in a chat', () => {
  const given = () => {
    const play = new Play().type(':norris look into it').press('enter');
    play.done();
    return play.send({ type: 'goalCreated', goal: goalOf(3) });
  };

  it.each([0, 90, 450])(
    'text that a person continues to type at %i ms per key does not act on the list of goals',
    (gapMs) => {
      const play = given();
      play.done();
      play.type('then the other disk', gapMs).wait(5_000);
      expect([play.done(), play.model.overlay, play.model.prompt.text]).toEqual([[], null, 'then the other disk']);
      expect(play.press('enter').done()).toContainEqual(
        expect.objectContaining({ type: 'sendMessage', text: 'then the other disk' }),
      );
    },
  );

  it('a single key acts on the list of goals, and after it each key acts at once', () => {
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
    'the text %j typed over a list goes into the prompt and does nothing to a goal',
    (text) => {
      for (const gapMs of [0, 90, 250]) {
        const play = inGoals().type(text, gapMs).wait(5_000);
        expect([decided(play), play.model.prompt.text, play.model.isPromptOpen]).toEqual([[], text, true]);
      }
    },
  );

  it('text with a leading slash typed over a list creates no goal and sends no message', () => {
    const play = new Play().press('f7').wait(2_000).type('/new', 90).press('enter').wait(5_000);
    expect(play.done().filter(({ type }) => ['createGoal', 'sendMessage'].includes(type))).toEqual([]);
  });

  it('pasted text over a list goes into the prompt', () => {
    const play = inGoals().send({ type: 'pasted', text: 'Archive\nthese' });
    expect([decided(play), play.model.prompt.text]).toEqual([[], 'Archive\nthese']);
  });

  it('a single letter acts on a list after half a second, and a second press acts at once', () => {
    const play = inGoals().press('n').wait(499);
    expect(play.model.prompt.text).toBe('');
    expect(play.wait(1).model.prompt.text).toBe(':norris ');
    const listed = (number: number) => goalOf(number, { state: 'done' });
    const many = new Play().press('f2').send({ type: 'goalsListed', goals: [listed(3), listed(2)] });
    many.done();
    expect(many.press('A').done().length).toBe(0);
    expect(many.press('A').done().length).toBe(1);
  });

  it('keys that only move in a list act at once', () => {
    const play = inGoals().send({ type: 'goalsListed', goals: [goalOf(3), goalOf(2)] });
    const before = play.model.chosen;
    expect(play.press('j').model.chosen).not.toBe(before === play.model.chosen ? '' : before);
    expect(play.press('k', 'k').model.prompt.text).toBe('');
  });
});

describe('two open decisions', () => {
  it('a chat shows its own decision first, and other views show the oldest decision first', () => {
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
    'the text %j at a question is not an answer, and all of it goes into the prompt',
    (text) => {
      for (const gapMs of [0, 90, 400]) {
        const play = asked();
        play.done();
        play.type(text, gapMs).wait(5_000);
        expect([play.done(), play.model.overlay, play.model.prompt.text]).toEqual([[], null, text]);
      }
    },
  );

  it('the key n alone means no after a pause, and Enter and Esc mean no at once', () => {
    expect(asked().alone('n').model).toMatchObject({ overlay: null, prompt: { text: '' } });
    for (const key of ['enter', 'escape']) expect(asked().press(key).model.overlay).toBeNull();
  });
});

describe('text that is typed while a page of output is shown', () => {
  const shown = () =>
    new Play().send({
      type: 'metaDone',
      title: ':mcp list',
      lines: [[span('one')], [span('two')]],
      isGood: true,
      yes: null,
      candidates: 0,
    });

  it('a command that is typed over a page closes the page', () => {
    const play = shown().type(':mcp remove demo', 60);
    expect([play.model.overlay, play.model.prompt.text]).toEqual([null, ':mcp remove demo']);
    expect(play.press('enter').done()).toContainEqual(
      expect.objectContaining({ type: 'runMeta', words: ['mcp', 'remove', 'demo'] }),
    );
  });

  it.each(['kill it', 'just look', 'jk', 'quite so', '? what', 'you there', 'q'])(
    'the text %j typed over a page goes into the prompt with all its letters',
    (text) => {
      const play = shown().wait(2_000).type(`${text} x`, 120).wait(5_000);
      expect([play.done(), play.model.prompt.text]).toEqual([[], `${text} x`]);
    },
  );

  it('single keys still scroll and close a page', () => {
    expect(shown().wait(2_000).press('j').wait(2_000).press('k').model.overlay).toMatchObject({ type: 'page' });
    expect(shown().wait(2_000).alone('q').model).toMatchObject({ overlay: null, prompt: { text: '' } });
    expect(shown().wait(2_000).press('escape').model.overlay).toBeNull();
  });

  it('a paste over a page goes into the prompt', () => {
    expect(shown().send({ type: 'pasted', text: 'two words' }).model).toMatchObject({
      overlay: null,
      prompt: { text: 'two words' },
    });
  });
});

describe('the keys of the views', () => {
  it('the key of a view opens the view and closes a HALT', () => {
    const play = open().press('f3');
    expect([play.model.view, play.model.overlay, play.model.closedDecisions]).toEqual(['decisions', null, [halted.id]]);
  });

  it('the key of a view opens the view and closes a page', () => {
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

describe('a command whose meaning an earlier command changed', () => {
  const variables = [{ name: 'PATH', value: '/workspace/bin\u202e:/bin' }];
  const trapped = decisionOf(1, { executionContext: { folder: '/workspace/proj', variables, digest: 'd' } });
  const given = (more: object) => [
    { type: 'giveVerdict', decisionId: trapped.id, given: { verdict: 'proceed', ...more } },
  ];

  it('the card shows the folder and variables of the command, and only the key w runs it with those variables', () => {
    const play = asks(new Play(), trapped).wait(2_000);
    expect(screen(play)).toContain('in /workspace/proj');
    expect(screen(play)).toContain('earlier commands set PATH=/workspace/bin\\u{202e}:/bin');
    expect(screen(play)).toContain('w proceed with that');
    expect(play.press('w').wait(500).done()).toEqual(given({ carried: true }));
    expect(asks(new Play(), trapped).wait(2_000).press('p').wait(500).done()).toEqual(given({}));
  });

  it('the card does not offer the key w if earlier commands changed nothing', () => {
    const play = open().press('w').wait(5_000);
    expect(screen(play)).not.toContain('proceed with that');
    expect(play.done()).toEqual([]);
  });
});

describe('a decision of a chat that is not on the screen', () => {
  const foreign = decisionOf(3, { ...chat, kind: 'command', sessionId: uuid(1077) });

  it('a decision of another chat opens only on request, and then shows the name of its chat', () => {
    const play = asks(new Play(), foreign);
    expect(isOpen(play)).toBe(false);
    expect(screen(play)).toContain('1 pending decision: Ctrl-D to answer');
    play.press('ctrl-d');
    expect(play.done()).toContainEqual({ type: 'seeSession', sessionId: uuid(1077) });
    expect(screen(play)).toContain('another chat asks');
    play.send({ type: 'sessionSeen', session: sessionOf(77, { title: 'nightly report' }) });
    expect(screen(play)).toContain('c77 “nightly report” asks');
  });

  it('the decision of a chat opens by itself in its own chat', () => {
    const session = sessionOf(77);
    const play = new Play().send({ type: 'chatOpened', session, isNew: false });
    expect(isOpen(asks(play, foreign))).toBe(true);
    expect(screen(play)).toContain('this chat asks');
  });
});
