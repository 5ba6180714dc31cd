import { describe, expect, it } from '@jest/globals';
import type { EventBody } from '@aish/contracts/events';
import { eventOf, goalOf, sessionOf, uuid } from '@aish/client/testing/fixtures';
import { line, textOf } from '@aish/views/line';
import { Play } from '../testing/play.js';
import { Story } from './story.js';

const chat = sessionOf(1);
const said = (exchange: number): EventBody => ({
  type: 'message.received',
  exchange,
  turn: exchange,
  text: `question ${exchange}`,
  by: 'ann',
});
const began = (exchange: number): EventBody => ({
  type: 'answer.started',
  exchange,
  step: 0,
  preset: 'fast',
  fallbackFrom: null,
});
const answered = (exchange: number, text: string): EventBody => ({
  type: 'answer.ended',
  exchange,
  step: 0,
  preset: 'fast',
  fallbackFrom: null,
  text,
  reasoning: '',
  turn: null,
  firstWordMs: null,
  end: 'whole',
  model: 'demo',
  usage: null,
  totalMs: 10,
  notes: [],
  toolCalls: [],
});
const over = (exchange: number): EventBody => ({ type: 'exchange.ended', exchange, end: 'answered', trouble: null });

class InlineTerminal {
  readonly play = new Play();
  private readonly story = new Story();
  private seq = 0;

  constructor() {
    this.play.model = { ...this.play.model, isInline: true };
    this.play.send({ type: 'chatOpened', session: chat, isNew: false });
  }

  happens(...bodies: readonly EventBody[]): this {
    for (const body of bodies) {
      this.seq += 1;
      this.play.send({ type: 'happened', sessionId: chat.id, event: eventOf(this.seq, body) });
    }
    return this;
  }

  types(text: string, exchange = 1): this {
    this.play.send({ type: 'live', sessionId: chat.id, body: { type: 'answer.delta', exchange, step: 0, text } });
    return this;
  }

  /** The stream is cut and begins again. */
  restarts(): this {
    this.seq = 0;
    return this;
  }

  printed(isOver = false): { readonly done: string; readonly live: string } {
    const { done, live } = this.story.next(this.play.model, isOver);
    const shown = (lines: typeof done) => lines.map((each) => textOf(each).trim()).join('|');
    return { done: shown(done), live: shown(live) };
  }
}

describe('the story of an inline terminal', () => {
  it('an exchange is printed once, when it can no longer change', () => {
    const terminal = new InlineTerminal().happens(said(1), began(1));
    expect(terminal.printed()).toEqual({ done: '|› question 1', live: '…' });
    expect(terminal.types('four').printed()).toEqual({ done: '', live: 'four' });
    expect(terminal.happens(answered(1, 'four two')).printed()).toEqual({ done: '', live: 'four two|demo · 10 ms' });
    expect(terminal.happens(over(1)).printed()).toEqual({ done: 'four two|demo · 10 ms', live: '' });
    expect(terminal.printed()).toEqual({ done: '', live: '' });
  });

  it('finished paragraphs of a growing answer are printed immediately, and not again when the answer ends', () => {
    const terminal = new InlineTerminal().happens(said(1), began(1));
    terminal.printed();
    expect(terminal.types('one\n\ntwo').printed()).toEqual({ done: 'one', live: '|two' });
    expect(terminal.types('\n\nthr').printed()).toEqual({ done: '|two', live: '|thr' });
    expect(terminal.types('ee').printed()).toEqual({ done: '', live: '|three' });
    const end = terminal.happens(answered(1, 'one\n\ntwo\n\nthree'), over(1)).printed();
    expect(end).toEqual({ done: '|three|demo · 10 ms', live: '' });
  });

  it('an answer whose stored text differs is printed again from the difference on', () => {
    const terminal = new InlineTerminal().happens(said(1), began(1));
    expect(terminal.types('one\n\ntwo\n\nth').printed().done).toBe('|› question 1|one||two');
    const end = terminal.happens(answered(1, 'one\n\nsecret\n\nthree'), over(1)).printed();
    expect(end.done).toBe('secret||three|demo · 10 ms');
  });

  it('a stream that begins again repeats nothing', () => {
    const terminal = new InlineTerminal().happens(said(1), began(1), answered(1, 'four'), over(1));
    expect(terminal.printed().done).toContain('question 1');
    terminal.restarts().happens(said(1));
    expect(terminal.printed().done).toBe('');
    terminal.happens(began(1), answered(1, 'four'), over(1), said(2));
    expect(terminal.printed().done).toBe('|› question 2');
  });

  it('an unfinished answer is printed when the terminal UI ends', () => {
    const terminal = new InlineTerminal().happens(said(1), began(1)).types('half an ans');
    terminal.printed();
    expect(terminal.printed(true)).toEqual({ done: 'half an ans', live: '' });
  });

  it('a running goal is printed beside the chat, and one that had already ended is not', () => {
    const goals = [goalOf(5, { state: 'running' }), goalOf(4, { state: 'done' })];
    const terminal = new InlineTerminal().happens(said(1));
    const created = (number: number): EventBody => ({
      type: 'goal.created',
      goalId: uuid(number),
      number,
      text: 'tidy up',
      preset: 'fast',
      stepBudget: 16,
    });
    expect(terminal.printed().done).toBe('|› question 1');
    const { play } = terminal;
    play.send({ type: 'goalsListed', goals });
    play.send({ type: 'happened', sessionId: uuid(1005), event: eventOf(1, created(5)) });
    expect(terminal.printed().done).toBe('|── goal 5|goal 5 · fast · up to 16 steps|tidy up');
    play.model = { ...play.model, chosen: uuid(4), goalFeed: { ...play.model.goalFeed, sessionId: uuid(1004) } };
    play.send({ type: 'happened', sessionId: uuid(1004), event: eventOf(1, created(4)) });
    expect(terminal.printed().done).toBe('');
  });

  it('the answer of a command is printed once, and a plan to confirm opens as a page', () => {
    const terminal = new InlineTerminal().happens(said(1));
    expect(terminal.printed().done).toBe('|› question 1');
    const lines = [line('one'), line('two')];
    const answer = { type: 'metaDone', title: ':show g1', lines, isGood: true, yes: null, candidates: 0 } as const;
    terminal.play.send(answer);
    expect([terminal.play.model.overlay, terminal.printed().done]).toEqual([null, '|── :show g1|one|two']);
    expect(terminal.printed().done).toBe('');
    expect(terminal.happens(began(1)).types('fo').printed().live).toBe('── c1|fo');
    terminal.happens(answered(1, 'four'), over(1));
    expect(terminal.printed().done).toBe('|── c1|four|demo · 10 ms');
    terminal.play.send({ ...answer, yes: { type: 'quit' } });
    expect(terminal.play.model.overlay?.type).toBe('page');
    terminal.play.press('f2').send(answer);
    expect(terminal.printed().done).toBe('');
  });

  it('the current step of a goal is shown under the name of the goal while a chat is on the screen', () => {
    const terminal = new InlineTerminal().happens(said(1), began(1));
    terminal.printed();
    const { play } = terminal.types('thr');
    play.send({ type: 'goalsListed', goals: [goalOf(5, { state: 'running' })] });
    play.send({
      type: 'happened',
      sessionId: uuid(1005),
      event: eventOf(1, { type: 'step.started', goalId: uuid(5), step: 1, stepBudget: 16 }),
    });
    expect(terminal.printed().live).toMatch(/── goal 5\|.*step 1\/16.*\|── c1\|.*thr/);
  });
});
