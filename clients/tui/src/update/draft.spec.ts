import { describe, expect, it } from '@jest/globals';
import { needRequest, readNeed } from '@aish/contracts/needs';
import { QUESTION_REQUEST, type Decision } from '@aish/contracts/decisions';
import { decisionOf, sessionOf } from '@aish/client/testing/fixtures';
import { Play } from '../testing/play.js';
import { textOf } from '@aish/views/line';
import { frameOf } from '../views/frame.view.js';

/** A decision in front of a person who has had time to see it. */
class Dialog extends Play {
  constructor(
    readonly decision: Decision,
    typed = '',
  ) {
    super();
    // A decision of a chat comes up in that chat.
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

describe('e at a HALT', () => {
  it('sends what the command was changed to, and gives the prompt back', () => {
    const dialog = new Dialog(decisionOf(1), 'half a sentence').alone('e');
    expect(dialog.screen).toContain('instead: cd x && rm -rf build');
    dialog.press('ctrl-u').type('ls build').press('enter');
    expect(dialog.given()).toEqual([{ verdict: 'edit', command: 'ls build' }]);
    expect(dialog.model.prompt.text).toBe('half a sentence');
  });

  it('sends nothing when nothing was changed, or nothing is left', () => {
    const dialog = new Dialog(decisionOf(1)).alone('e').press('enter');
    expect([dialog.given(), dialog.trouble]).toEqual([[], 'Nothing is changed: p runs it as it is.']);
    dialog.press('ctrl-u', 'enter');
    expect([dialog.given(), dialog.trouble]).toEqual([[], 'There is nothing to run: s skips it.']);
  });

  describe('of a tool', () => {
    const call = () => new Dialog(decisionOf(1, { action: 'sse.echo {"message":"hi"}' })).alone('e');

    it('takes its arguments, also behind the name of the tool', () => {
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
      ['rm -rf x', 'These are no arguments: a JSON object is wanted, as {"name": "value"}.'],
      ['[1]', 'These are no arguments: a JSON object is wanted, as {"name": "value"}.'],
      ['other.tool {"a":1}', 'Another tool cannot be called here: change the arguments of sse.echo.'],
    ])('sends %j to nobody, and says why', (typed, trouble) => {
      const dialog = call().press('ctrl-u').type(typed).press('enter');
      expect([dialog.given(), dialog.trouble]).toEqual([[], trouble]);
    });

    it('offers no preview, for it could not be tried first', () => {
      const dialog = new Dialog(decisionOf(1, { action: 'sse.echo {"message":"hi"}' }));
      expect(dialog.screen).not.toContain('v preview');
      expect(dialog.alone('v').given()).toEqual([]);
      expect(dialog.model.flash?.text).toBe('a tool cannot be tried first');
    });
  });

  it('goes back with Esc, to where the keys answer again', () => {
    const dialog = new Dialog(decisionOf(1)).alone('e').press('p', 's', 'escape').wait(1_000);
    expect(dialog.given()).toEqual([]);
    expect([dialog.model.prompt.text, dialog.alone('s').given()]).toEqual(['', [{ verdict: 'skip' }]]);
  });

  it('takes pastes and line breaks', () => {
    const dialog = new Dialog(decisionOf(1)).alone('e').press('ctrl-u').send({ type: 'pasted', text: 'ls\r\nid' });
    expect(dialog.press('enter').given()).toEqual([{ verdict: 'edit', command: 'ls\nid' }]);
  });

  it('edits the arguments of a tool and not its name', () => {
    const tool = decisionOf(1, { action: 'files.delete {"path":"/a"}', classification: null });
    expect(new Dialog(tool).alone('e').model.prompt.text).toBe('{"path":"/a"}');
  });

  it('is refused in a chat, and says why', () => {
    const chat = decisionOf(1, { kind: 'command', goalId: null, goalNumber: null, goalText: null, stepBudget: null });
    const dialog = new Dialog(chat).alone('e');
    expect(dialog.model.overlay).toMatchObject({ draft: null });
    expect(dialog.screen).not.toContain('[e]');
    expect(dialog.screen).toContain('CONFIRM COMMAND');
    dialog.alone('g');
    expect(dialog.screen).toContain('for the rest of this chat');
  });

  it('is sent nowhere when somebody else has answered, and Esc leaves it in the prompt', () => {
    const dialog = new Dialog(decisionOf(1), 'mine').alone('e').send({ type: 'decisionsListed', decisions: [] });
    expect(dialog.screen).toContain('d-1 does not wait any more');
    expect(dialog.press('enter').given()).toEqual(['seeDecision']);
    dialog.press('escape');
    expect([dialog.model.overlay, dialog.model.prompt.text]).toEqual([null, 'mine\ncd x && rm -rf build']);
  });
});

describe('g at a HALT', () => {
  it.each([
    ['c', 'command'],
    ['r', 'rule'],
  ])('%s grants the %s', (key, grant) => {
    expect(new Dialog(decisionOf(1)).alone('g', key).given()).toEqual([{ verdict: 'proceed', grant }]);
  });

  it('grants nothing on Enter, and no rule where none stopped it', () => {
    const dialog = new Dialog(decisionOf(1, { classification: null })).alone('g', 'enter', ' ', 'p', 'r');
    expect(dialog.given()).toEqual([]);
    expect(dialog.press('escape').wait(1_000).alone('p').given()).toEqual([{ verdict: 'proceed' }]);
  });

  it('wants a long action read to its end first', () => {
    const action = Array.from({ length: 60 }, (_, n) => `echo ${n}`).join('\n');
    const dialog = new Dialog(decisionOf(1, { action, classification: null })).alone('g', 'c');
    expect(dialog.given()).toEqual([]);
    for (let page = 0; page < 20; page += 1) dialog.press('pagedown');
    expect(dialog.alone('g', 'c').given()).toEqual([{ verdict: 'proceed', grant: 'command' }]);
  });
});

describe('what a model needs', () => {
  const need = readNeed('secret KEY for https://grafana.lan: to read alerts');
  const asked = (of: 'goal' | 'chat' = 'goal', more: Partial<Decision> = {}) =>
    new Dialog(
      decisionOf(1, {
        kind: 'need',
        actionId: null,
        classification: null,
        action: 'secret KEY for https://grafana.lan: to read alerts',
        reason: 'the model needs to reach more',
        request: need === null ? {} : needRequest(need, of),
        ...more,
      }),
    );

  it('is given with a value that nobody sees, in the prompt and above it', () => {
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

  it('is asked for in a chat in the same way', () => {
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

describe('a question of a goal’s model', () => {
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

  it('is answered in words, declined with s, and says who asks', () => {
    expect(asked().screen).toContain('NORRIS QUESTION');
    expect(asked().screen).toContain('the model asks:');
    const dialog = asked().alone('p').type('the blue one').press('enter', 'enter');
    expect(dialog.given()).toEqual([{ verdict: 'proceed', answer: { answer: 'the blue one' } }]);
    expect(asked().alone('s').given()).toEqual([{ verdict: 'skip' }]);
    expect(asked().alone('a').wait(500).alone('a').given()).toEqual([{ verdict: 'abort' }]);
  });

  it('needs words', () => {
    const dialog = asked().alone('p').press('enter', 'enter');
    expect([dialog.given(), dialog.trouble]).toEqual([[], 'answer is needed']);
  });
});

describe('a question of a server', () => {
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

  it('is answered with a form made of its schema', () => {
    const dialog = asked().alone('p').type('Ann').press('enter').type('42').press('enter');
    dialog.press('right', 'enter', 'enter', '1', '3', 'enter');
    expect(dialog.screen).toContain('[ send ]');
    expect(dialog.given()).toEqual([]);
    const answer = { name: 'Ann', age: 42, newsletter: true, colour: 'g', days: ['mo', 'we'] };
    expect(dialog.press('enter').given()).toEqual([{ verdict: 'proceed', answer }]);
  });

  it('says what is wrong, at the field that it is about', () => {
    const dialog = asked().alone('p').press('down', 'down', 'down', 'down', 'down', 'enter');
    expect([dialog.given(), dialog.trouble]).toEqual([[], 'Name is needed']);
    dialog.type('A').press('down').type('4.5').press('up', 'up');
    expect(dialog.model.overlay).toMatchObject({ draft: { at: 0, values: ['A', '4.5', '', 'g', ''] } });
    dialog.press('down', 'down', 'down', 'down', 'down', 'enter');
    expect(dialog.trouble).toBe('Name needs 2 characters or more');
  });

  it('is declined with s, and comes back with Esc', () => {
    expect(asked().alone('s').given()).toEqual([{ verdict: 'skip' }]);
    const dialog = asked().alone('p').type('s').press('escape').wait(1_000);
    expect([dialog.given(), dialog.alone('s').given()]).toEqual([[], [{ verdict: 'skip' }]]);
  });
});
