import { describe, expect, it } from '@jest/globals';
import { needRequest, readNeed } from '@aish/contracts/needs';
import { QUESTION_REQUEST, type Decision } from '@aish/contracts/decisions';
import { decisionOf, sessionOf } from '@aish/client/testing/fixtures';
import { Play } from '../testing/play.js';
import { textOf } from '@aish/views/line';
import { frameOf } from '../views/frame.view.js';

/** Shows a decision that a person has had time to see. */
class Dialog extends Play {
  constructor(
    readonly decision: Decision,
    typed = '',
  ) {
    super();
    // The decision of a chat opens in that chat.
    if (decision.goalId === null) this.send({ type: 'chatOpened', session: sessionOf(1), isNew: false }).done();
    this.model = { ...this.model, prompt: { text: typed, cursor: typed.length } };
    this.send({ type: 'decisionsListed', decisions: [decision] });
    if (typed !== '') this.press('ctrl-d');
    this.wait(500);
  }

  given(): unknown[] {
    return this.done().map((effect) => (effect.type === 'giveVerdict' ? effect.given : effect.type));
  }

  get trouble(): string | null | undefined {
    return this.model.overlay?.type === 'halt' ? this.model.overlay.trouble : undefined;
  }

  get screen(): string {
    return frameOf(this.model).lines.map(textOf).join('\n');
  }
}

describe('the key e at a HALT', () => {
  it('the key e edits the command, and sending it restores the prompt', () => {
    const dialog = new Dialog(decisionOf(1), 'half a sentence').alone('e');
    expect(dialog.screen).toContain('instead: cd x && rm -rf build');
    dialog.press('ctrl-u').type('ls build').press('enter');
    expect(dialog.given()).toEqual([{ verdict: 'edit', command: 'ls build' }]);
    expect(dialog.model.prompt.text).toBe('half a sentence');
  });

  it('an edit is not sent if the command is unchanged or empty', () => {
    const dialog = new Dialog(decisionOf(1)).alone('e').press('enter');
    expect([dialog.given(), dialog.trouble]).toEqual([[], 'Nothing has changed. Press p to run the command as it is.']);
    dialog.press('ctrl-u', 'enter');
    expect([dialog.given(), dialog.trouble]).toEqual([[], 'The command is empty. Press s to skip the action.']);
  });

  describe('editing a tool call', () => {
    const call = () => new Dialog(decisionOf(1, { action: 'sse.echo {"message":"hi"}' })).alone('e');

    it("an edit of a tool call accepts the arguments with or without the tool's name", () => {
      for (const typed of [
        '{"message":"edited"}',
        'sse.echo {"message":"edited"}',
        ' sse.echo  {"message": "edited"} ',
      ]) {
        const [given] = call().press('ctrl-u').type(typed).press('enter').given() as { command: string }[];
        expect(given).toMatchObject({ verdict: 'edit' });
        expect(JSON.parse(given?.command ?? '')).toEqual({ message: 'edited' });
      }
    });

    it.each([
      ['rm -rf x', 'These are not valid arguments. Write a JSON object, such as {"name": "value"}.'],
      ['[1]', 'These are not valid arguments. Write a JSON object, such as {"name": "value"}.'],
      ['other.tool {"a":1}', 'You cannot call another tool here. Change the arguments of sse.echo.'],
    ])('%j is not sent as an edit of a tool call, and the reason is shown', (typed, trouble) => {
      const dialog = call().press('ctrl-u').type(typed).press('enter');
      expect([dialog.given(), dialog.trouble]).toEqual([[], trouble]);
    });

    it('a decision about a tool call offers no preview', () => {
      const dialog = new Dialog(decisionOf(1, { action: 'sse.echo {"message":"hi"}' }));
      expect(dialog.screen).not.toContain('v preview');
      expect(dialog.alone('v').given()).toEqual([]);
      expect(dialog.model.flash?.text).toBe('a tool call has no preview');
    });
  });

  it('Esc ends an edit, and the answer keys work again', () => {
    const dialog = new Dialog(decisionOf(1)).alone('e').press('p', 's', 'escape').wait(1_000);
    expect(dialog.given()).toEqual([]);
    expect([dialog.model.prompt.text, dialog.alone('s').given()]).toEqual(['', [{ verdict: 'skip' }]]);
  });

  it('an edit accepts pasted text with line breaks', () => {
    const dialog = new Dialog(decisionOf(1)).alone('e').press('ctrl-u').send({ type: 'pasted', text: 'ls\r\nid' });
    expect(dialog.press('enter').given()).toEqual([{ verdict: 'edit', command: 'ls\nid' }]);
  });

  it('the edit of a tool call starts with only the arguments in the prompt', () => {
    const tool = decisionOf(1, { action: 'files.delete {"path":"/a"}', classification: null });
    expect(new Dialog(tool).alone('e').model.prompt.text).toBe('{"path":"/a"}');
  });

  it('a command in a chat cannot be edited, but can be granted for the rest of the chat', () => {
    const chat = decisionOf(1, { kind: 'command', goalId: null, goalNumber: null, goalText: null, stepBudget: null });
    const dialog = new Dialog(chat).alone('e');
    expect(dialog.model.overlay).toMatchObject({ draft: null });
    expect(dialog.screen).not.toContain('[e]');
    expect(dialog.screen).toContain('CONFIRM COMMAND');
    dialog.alone('g');
    expect(dialog.screen).toContain('For the rest of this chat');
  });

  it('an edit is not sent after someone else answered, and Esc leaves its text in the prompt', () => {
    const dialog = new Dialog(decisionOf(1), 'mine').alone('e').send({ type: 'decisionsListed', decisions: [] });
    expect(dialog.screen).toContain('d1 is no longer open');
    expect(dialog.press('enter').given()).toEqual(['seeDecision']);
    dialog.press('escape');
    expect([dialog.model.overlay, dialog.model.prompt.text]).toEqual([null, 'mine\ncd x && rm -rf build']);
  });
});

describe('the key g at a HALT', () => {
  it.each([
    ['c', 'command'],
    ['r', 'rule'],
  ])('the key %s after g grants the %s', (key, grant) => {
    expect(new Dialog(decisionOf(1)).alone('g', key).given()).toEqual([{ verdict: 'proceed', grant }]);
  });

  it('Enter, space, p and r after g grant nothing if no rule stopped the action', () => {
    const dialog = new Dialog(decisionOf(1, { classification: null })).alone('g', 'enter', ' ', 'p', 'r');
    expect(dialog.given()).toEqual([]);
    expect(dialog.press('escape').wait(1_000).alone('p').given()).toEqual([{ verdict: 'proceed' }]);
  });

  it('the key g works on a long action only after its last page has been shown', () => {
    const action = Array.from({ length: 60 }, (_, n) => `echo ${n}`).join('\n');
    const dialog = new Dialog(decisionOf(1, { action, classification: null })).alone('g', 'c');
    expect(dialog.given()).toEqual([]);
    for (let page = 0; page < 20; page += 1) dialog.press('pagedown');
    expect(dialog.alone('g', 'c').given()).toEqual([{ verdict: 'proceed', grant: 'command' }]);
  });
});

describe("a model's request for access", () => {
  const need = readNeed('secret KEY for https://grafana.lan: to read alerts');
  const asked = (of: 'goal' | 'chat' = 'goal', more: Partial<Decision> = {}) =>
    new Dialog(
      decisionOf(1, {
        kind: 'need',
        actionId: null,
        classification: null,
        action: 'secret KEY for https://grafana.lan: to read alerts',
        reason: 'the model asks for more access',
        request: need === null ? {} : needRequest(need, of),
        ...more,
      }),
    );

  it('the value of a requested secret is never visible on the screen', () => {
    const dialog = asked().alone('p').type('hunter2-hunter2');
    expect(dialog.screen).toContain('NORRIS NEED');
    expect(dialog.screen).toContain('•••••••••••••••');
    expect(dialog.screen).not.toContain('hunter2');
    dialog.press('enter');
    expect(dialog.screen).not.toContain('hunter2');
    dialog.press('enter', 'enter', 'enter', 'enter');
    expect(dialog.given()).toEqual([
      { verdict: 'proceed', answer: { value: 'hunter2-hunter2', local: true, for: 'goal' } },
    ]);
    expect(asked().alone('s').given()).toEqual([{ verdict: 'skip' }]);
  });

  it('a model in a chat asks for access in the same way as a goal', () => {
    const chat = { goalId: null, goalNumber: null, goalText: null, stepBudget: null };
    const dialog = asked('chat', chat);
    expect(dialog.screen).toContain('this chat asks');
    dialog.alone('p').type('hunter2-hunter2').press('enter', 'enter', 'enter');
    expect(dialog.screen).toContain('● this chat');
    expect(dialog.press('right', 'enter', 'enter').given()).toEqual([
      { verdict: 'proceed', answer: { value: 'hunter2-hunter2', local: true, for: 'space' } },
    ]);
  });
});

describe("a question from a goal's model", () => {
  it('the key e at a question says that it is answered or declined', () => {
    const asked = decisionOf(1, { kind: 'question', action: 'which disk?', request: QUESTION_REQUEST });
    expect(new Dialog(asked).alone('e').model.flash?.text).toBe('answer or decline a question');
  });

  const asked = () =>
    new Dialog(
      decisionOf(1, {
        kind: 'question',
        actionId: null,
        classification: null,
        action: 'Which disk?',
        reason: 'the model asks',
        request: QUESTION_REQUEST,
      }),
    );

  it("a person can answer, skip or abort a model's question", () => {
    expect(asked().screen).toContain('NORRIS QUESTION');
    expect(asked().screen).toContain('the model asks:');
    const dialog = asked().alone('p').type('the blue one').press('enter', 'enter');
    expect(dialog.given()).toEqual([{ verdict: 'proceed', answer: { answer: 'the blue one' } }]);
    expect(asked().alone('s').given()).toEqual([{ verdict: 'skip' }]);
    expect(asked().alone('a').wait(500).alone('a').given()).toEqual([{ verdict: 'abort' }]);
  });

  it("a model's question cannot be answered with an empty text", () => {
    const dialog = asked().alone('p').press('enter', 'enter');
    expect([dialog.given(), dialog.trouble]).toEqual([[], 'answer is required']);
  });
});

describe('a question from a server', () => {
  const request = {
    type: 'object',
    properties: {
      name: { type: 'string', title: 'Name', minLength: 2 },
      age: { type: 'integer', minimum: 1 },
      newsletter: { type: 'boolean', title: 'Newsletter' },
      colour: { type: 'string', enum: ['r', 'g'], enumNames: ['red', 'green'], default: 'g' },
      days: { type: 'array', items: { enum: ['mo', 'tu', 'we'] } },
    },
    required: ['name', 'newsletter'],
  };
  const asked = () =>
    new Dialog(
      decisionOf(1, {
        kind: 'elicitation',
        goalId: null,
        goalNumber: null,
        actionId: null,
        classification: null,
        action: 'Who are you?',
        request,
      }),
    );

  it("a server's question is shown as a form built from its schema", () => {
    const dialog = asked().alone('p').type('Ann').press('enter').type('42').press('enter');
    dialog.press('right', 'enter', 'enter', '1', '3', 'enter');
    expect(dialog.screen).toContain('[ send ]');
    expect(dialog.given()).toEqual([]);
    const answer = { name: 'Ann', age: 42, newsletter: true, colour: 'g', days: ['mo', 'we'] };
    expect(dialog.press('enter').given()).toEqual([{ verdict: 'proceed', answer }]);
  });

  it('a form reports a missing or invalid value with the name of its field', () => {
    const dialog = asked().alone('p').press('down', 'down', 'down', 'down', 'down', 'enter');
    expect([dialog.given(), dialog.trouble]).toEqual([[], 'Name is required']);
    dialog.type('A').press('down').type('4.5').press('up', 'up');
    expect(dialog.model.overlay).toMatchObject({ draft: { at: 0, values: ['A', '4.5', '', 'g', ''] } });
    dialog.press('down', 'down', 'down', 'down', 'down', 'enter');
    expect(dialog.trouble).toBe('Name must have 2 characters or more');
  });

  it('the key s declines a form, and Esc returns to the question', () => {
    expect(asked().alone('s').given()).toEqual([{ verdict: 'skip' }]);
    const dialog = asked().alone('p').type('s').press('escape').wait(1_000);
    expect([dialog.given(), dialog.alone('s').given()]).toEqual([[], [{ verdict: 'skip' }]]);
  });
});
