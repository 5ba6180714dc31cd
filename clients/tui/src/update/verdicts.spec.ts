import { describe, expect, it } from '@jest/globals';
import { ApiError } from '@aish/client/api.error';
import { decisionOf, goalOf } from '@aish/client/testing/fixtures';
import { Play } from '../testing/play.js';
import { textOf } from '@aish/views/line';
import { frameOf } from '../views/frame.view.js';

const [first, second] = [decisionOf(1), decisionOf(2)];
const open = (...decisions: (typeof first)[]): Play =>
  new Play().send({ type: 'decisionsListed', decisions: decisions.length === 0 ? [first] : decisions }).wait(2_000);
const given = (play: Play): unknown[] => play.done().flatMap((each) => (each.type === 'giveVerdict' ? each.given : []));
const screen = (play: Play): string => frameOf(play.model).lines.map(textOf).join('\n');
const byAnn = { ...first, state: 'decided', verdict: 'skip', decidedBy: 'ann' } as const;
const taken = new ApiError('answered', 'decision_taken', 'Decision d1 was answered with skip by ann', { status: 409 });

describe('an abort in the terminal', () => {
  it('an abort needs a second press of a, and the first press shows a hint', () => {
    const play = open().alone('a');
    expect(given(play)).toEqual([]);
    expect(screen(play)).toContain('press a again to abort; any other key cancels');
    expect(given(play.wait(500).alone('a'))).toEqual([{ verdict: 'abort' }]);
  });

  it('a second press within a second does not confirm an abort, and the screen asks for it again', () => {
    // A terminal repeats a key after 660 ms at the latest.
    for (const gapMs of [500, 660, 999]) {
      const play = open().press('a').wait(gapMs).press('a').wait(5_000);
      expect(given(play)).toEqual([]);
      if (gapMs > 500) expect(screen(play)).toContain('“a” came too soon to be an answer: press it again');
    }
  });

  it.each(['escape', 'down', 'x', '?', 'tab'])('the key %s cancels an abort', (key) => {
    const play = open().alone('a').wait(1_000).alone(key).wait(1_000);
    if (key === 'escape' || key === 'tab') play.press('ctrl-d').wait(2_000);
    expect(given(play.alone('a'))).toEqual([]);
  });
});

describe('a question that has just replaced another one', () => {
  it.each([0, 100, 499])(
    'a key pressed %i ms after the question changed gives no verdict, and the screen asks for it again',
    (ms) => {
      for (const key of ['p', 's', 'a']) {
        const play = open(first, second).alone('s');
        play.done();
        play.send({ type: 'verdictGiven', decision: { ...first, state: 'decided', verdict: 'skip', decidedBy: 'me' } });
        expect(given(play.wait(ms).press(key).wait(5_000))).toEqual([]);
        expect(screen(play)).toContain(`“${key}” came too soon to be an answer: press it again`);
      }
    },
  );

  it('a key pressed half a second after the question changed gives a verdict', () => {
    const play = open(first, second).alone('s');
    play.send({ type: 'verdictGiven', decision: { ...first, state: 'decided', verdict: 'skip', decidedBy: 'me' } });
    play.done();
    expect(given(play.wait(500).alone('p'))).toEqual([{ verdict: 'proceed' }]);
  });

  it('the screen says that Enter was pressed too soon', () => {
    const play = open(first, second).alone('s');
    play.send({ type: 'verdictGiven', decision: { ...first, state: 'decided', verdict: 'skip', decidedBy: 'me' } });
    expect(screen(play.press('enter'))).toContain('Enter came too soon: press it again');
  });
});

describe('the keys of a card at 80 columns', () => {
  it.each([
    ['of a goal', first, 'p proceed  s skip  n instead  a abort'],
    ['of what was refused', { ...first, attempt: 3 }, 'p allow it  s stop trying  n instead  a end the goal'],
  ])('all keys of a card %s fit on one line, from the answers to Esc', (_, decision, answers) => {
    const keys = screen(open(decision))
      .split('\n')
      .find((each) => each.includes('Esc later'));
    expect(keys).toContain(answers);
  });
});

describe('a card in the list of goals', () => {
  const goals = [goalOf(91), goalOf(6)];
  const ofGoal = (n: number, goal: number) => ({ ...decisionOf(n), goalId: goalOf(goal).id, goalNumber: goal });
  const waiting = [ofGoal(1, 6), ofGoal(2, 91)];
  const shown = ({ model }: Play): readonly [number | undefined, number | undefined] => [
    model.goals?.find(({ id }) => id === model.chosen)?.number,
    model.overlay?.type === 'halt' ? (model.overlay.decision.goalNumber ?? undefined) : undefined,
  ];
  const atGoals = () => {
    const play = new Play().send({ type: 'goalsListed', goals }).press('f2').wait(500);
    return play.send({ type: 'decisionsListed', decisions: waiting }).wait(2_000);
  };

  it('the list shows the card of the selected goal, even if another goal has waited longer', () => {
    expect(shown(atGoals())).toEqual([91, 91]);
  });

  it("closing the selected goal's card opens no other goal's card, and Ctrl-D opens it again", () => {
    const play = atGoals().press('escape').wait(1_000);
    expect(shown(play)).toEqual([91, undefined]);
    expect(screen(play)).toContain('2 pending decisions: d to answer');
    expect(shown(play.press('ctrl-d').wait(1_000))).toEqual([91, 91]);
  });

  it('selecting a goal shows its card, and moving to the next card selects its goal', () => {
    const play = atGoals().press('escape').wait(1_000).press('down').wait(1_000);
    expect(shown(play)).toEqual([6, 6]);
    expect(shown(play.press('tab').wait(1_000))).toEqual([91, 91]);
  });
});

describe('a note that is sent with a verdict', () => {
  const noted = (): Play => open().alone('m').type('only the old ones').press('enter').wait(1_000);

  it.each([
    ['p', 'proceed'],
    ['s', 'skip'],
    ['n', 'instead'],
    ['a', 'abort'],
  ] as const)('a note to the model is sent with %s', (key, verdict) => {
    const play = noted();
    expect(given(play)).toEqual([]);
    expect(screen(play)).toContain('your note: “only the old ones”');
    play.alone(key);
    if (key === 'a') play.wait(500).alone(key);
    expect(given(play)).toEqual([{ verdict, message: 'only the old ones' }]);
  });

  it('a note to the model is sent with a grant and with an edited command', () => {
    const message = 'only the old ones';
    expect(given(noted().alone('g', 'c'))).toEqual([{ verdict: 'proceed', grant: 'command', message }]);
    const play = noted().alone('e').press('ctrl-u').type('ls').press('enter');
    expect(given(play)).toEqual([{ verdict: 'edit', command: 'ls', message }]);
  });

  it('a note to the model can be edited and deleted after its question was closed and reopened', () => {
    const play = noted().press('escape').wait(500).press('ctrl-d').wait(1_000);
    expect(screen(play)).toContain('your note: “only the old ones”');
    expect(play.alone('m').model.prompt.text).toBe('only the old ones');
    expect(given(play.press('ctrl-u', 'enter').wait(1_000).alone('p'))).toEqual([{ verdict: 'proceed' }]);
  });
});

describe('a decision that someone else answers', () => {
  const typing = (): Play => {
    const play = new Play().type('mine').send({ type: 'decisionsListed', decisions: [first] });
    return play.press('ctrl-d').wait(2_000).alone('m').type('use the trash');
  };
  const answered = (play: Play): Play =>
    play.send({ type: 'decisionsListed', decisions: [second] }, { type: 'decisionSeen', decision: byAnn });

  it('a dialog with an unfinished note stays open and shows who decided, but accepts no answer', () => {
    const play = answered(typing());
    expect(screen(play)).toContain('d1 was answered elsewhere: skip by ann');
    expect(play.type(', please').model.prompt.text).toBe('use the trash, please');
    play.press('enter').wait(5_000);
    expect(given(play)).toEqual([]);
    expect(screen(play)).toContain('use the trash, please');
  });

  it("closing the dialog appends the note to the prompt's text", () => {
    const play = answered(typing()).press('escape');
    expect([play.model.overlay, play.model.prompt.text]).toEqual([null, 'mine\nuse the trash']);
  });

  it('the dialog also stays open with a finished note or an edited command', () => {
    const noted = answered(open().alone('m').type('not now').press('enter').wait(1_000));
    expect(screen(noted)).toContain('d1 was answered elsewhere: skip by ann');
    expect(given(noted.alone('p'))).toEqual([]);
    expect(noted.press('escape').model.prompt.text).toBe('not now');
    const edited = answered(open().alone('e').press('ctrl-u').type('ls build'));
    expect(screen(edited)).toContain('d1 was answered elsewhere: skip by ann');
    expect(edited.press('escape').model.prompt.text).toBe('ls build');
  });

  it('the dialog closes with a message if no text was typed', () => {
    const play = answered(open());
    expect(play.model.flash?.text).toBe('d1 was answered elsewhere: skip by ann');
    expect(play.model.overlay).toMatchObject({ decision: { id: second.id } });
  });

  it('the text of a verdict that was sent too late is not lost, and the screen shows who decided first', () => {
    const play = open().alone('e').press('ctrl-u').type('ls build').press('enter');
    play.send({ type: 'decisionsListed', decisions: [] });
    play.send({ type: 'verdictRefused', decisionId: first.id, error: taken });
    expect(screen(play)).toContain('Decision d1 was answered with skip by ann');
    expect(screen(play)).toContain('ls build');
    expect(play.press('escape').model.prompt.text).toBe('ls build');
  });

  it('a verdict that could not be sent can be sent again', () => {
    const error = new ApiError('unreachable', 'unreachable', 'no answer');
    const play = open().alone('e').press('ctrl-u').type('ls build').press('enter');
    play.done();
    play.send({ type: 'verdictRefused', decisionId: first.id, error });
    expect(screen(play)).toContain('Not sent: no answer');
    expect(given(play.press('enter'))).toEqual([{ verdict: 'edit', command: 'ls build' }]);
  });

  it('hidden input never goes into the prompt', () => {
    const request = { type: 'object', properties: { value: { type: 'string', format: 'password', title: 'value' } } };
    const need = decisionOf(1, { kind: 'need', actionId: null, classification: null, action: 'secret KEY', request });
    const play = answered(open(need).alone('p').type('hunter2'));
    expect(play.press('escape').model.prompt.text).toBe('');
  });
});

describe('a decision in the list of goals', () => {
  const goals = [goalOf(91), goalOf(6)];
  const [ofOther, ofChosen] = [decisionOf(54, { goalId: goalOf(6).id }), decisionOf(60, { goalId: goalOf(91).id })];
  const listed = () => new Play().press('f2').send({ type: 'goalsListed', goals }).wait(2_000);
  const shown = (play: Play) => (play.model.overlay?.type === 'halt' ? play.model.overlay.decision.number : null);

  it('the decision of the selected goal opens before an older one of another goal', () => {
    const play = listed();
    expect(play.model.chosen).toBe(goalOf(91).id);
    expect(shown(play.send({ type: 'decisionsListed', decisions: [ofOther, ofChosen] }))).toBe(60);
  });

  it('Ctrl-D or d opens the closed decision of the selected goal again', () => {
    for (const key of ['ctrl-d', 'd']) {
      const play = listed().send({ type: 'decisionsListed', decisions: [ofOther, ofChosen] });
      play.press('escape', 'escape').wait(2_000);
      expect(shown(play.press(key))).toBe(60);
    }
  });
});
