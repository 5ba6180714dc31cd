import { describe, expect, it } from '@jest/globals';
import { QUIET_MS, VerdictLine } from './verdict-line.js';

/** A person at a question that was shown at 0 ms: what they type, and when. */
class Person {
  private readonly line = new VerdictLine(0);
  private atMs = 0;
  private dueMs: number | null = null;
  readonly said: string[] = [];
  verdict: string | null = null;

  wait(ms: number): this {
    const untilMs = this.atMs + ms;
    if (this.dueMs !== null && this.dueMs <= untilMs) {
      this.atMs = this.dueMs;
      this.dueMs = null;
      this.take(this.line.pause(this.atMs));
    }
    this.atMs = untilMs;
    return this;
  }

  type(...chunks: readonly string[]): this {
    for (const chunk of chunks) this.take(this.line.type(chunk, this.atMs));
    return this;
  }

  /** Character by character, as a keyboard sends them. */
  keys(text: string, gapMs = 60): this {
    for (const key of text) this.type(key).wait(gapMs);
    return this;
  }

  private take(came: ReturnType<VerdictLine['type']>): void {
    this.dueMs = came.type === 'waits' ? this.atMs + QUIET_MS : null;
    if (came.type === 'said') this.said.push(came.text);
    if (came.type === 'verdict') this.verdict = came.verdict;
  }
}

const ready = (): Person => new Person().wait(2_000);

describe('an action that is longer than the screen', () => {
  it('is let run only after its last page has been shown', () => {
    const line = new VerdictLine(0, 2);
    expect(line.type('p\r', 1_000)).toEqual({
      type: 'said',
      text: 'the action goes on: Enter shows more, and p counts at its end',
    });
    expect(line.type('\r', 3_000)).toEqual({ type: 'page' });
    expect(line.type('p\r', 5_000)).toMatchObject({ type: 'said' });
    expect(line.type('\r', 7_000)).toEqual({ type: 'page' });
    expect(line.type('p\r', 9_000)).toEqual({ type: 'verdict', verdict: 'proceed' });
  });

  it('can be refused at any page', () => {
    expect(new VerdictLine(0, 2).type('s\r', 1_000)).toEqual({ type: 'verdict', verdict: 'skip' });
    expect(new VerdictLine(0, 2).type('n\r', 1_000)).toEqual({ type: 'verdict', verdict: 'instead' });
  });
});

describe('an answer that is typed at a verdict’s question', () => {
  it.each([
    ['p', 'proceed'],
    ['s', 'skip'],
    ['P', 'proceed'],
  ])('%s alone is %s, half a second later', (key, verdict) => {
    const person = ready().type(key).wait(499);
    expect(person.verdict).toBeNull();
    expect(person.wait(1).verdict).toBe(verdict);
  });

  it.each(['p\r', 'proceed\r', ' p \r', 'P\n', 'p\r\n'])(
    '%j is proceed at once, in one piece or key by key',
    (line) => {
      expect(ready().type(line).verdict).toBe('proceed');
      expect(ready().keys(line).verdict).toBe('proceed');
      expect(ready().keys(line, 400).verdict).toBe('proceed');
    },
  );

  it.each([
    ['yes\r', '“yes” is no answer'],
    ['y', '“y” is no answer'],
    ['\r', 'Enter alone is no answer'],
    ['p?\r', '“p?” is no answer'],
    ['\u001b[A', 'that key is no answer'],
    ['\t', 'that key is no answer'],
    ['proceed', '“proceed” is no answer'],
    ['p\np\n', 'more than one line is no answer'],
    ['\u202eskip\r', '“\\u{202e}skip” is no answer'],
  ])('%j is no answer, and that is said', (typed, why) => {
    const person = ready().type(typed).wait(2_000);
    expect([person.verdict, person.said]).toEqual([null, [expect.stringContaining(why)]]);
  });

  it('counts again half a second after the hint', () => {
    expect(ready().type('yes\r').wait(500).type('p\r').verdict).toBe('proceed');
    expect(ready().type('yes\r').wait(400).type('p\r').verdict).toBeNull();
  });

  it('is not what was typed ahead: before the question, while it came up, or in one go with that', () => {
    for (const early of [new Person().type('p'), new Person().type('p\r'), new Person().wait(499).type('p', '\r')]) {
      const person = early.wait(2_000);
      expect([person.verdict, person.said]).toEqual([null, [expect.stringContaining('came too soon')]]);
    }
    const typist = new Person().keys('please do not', 90).keys('p\r', 90).wait(2_000);
    expect(typist.verdict).toBeNull();
    const paster = new Person().type('rm -rf x\np\n').wait(2_000);
    expect(paster.verdict).toBeNull();
  });

  it('is no letter of a sentence', () => {
    const person = ready().keys('a quick plan: proceed, skip and abort', 450).wait(5_000);
    expect([person.verdict, person.said.length]).toEqual([null, 1]);
  });

  it('can be corrected with Backspace', () => {
    expect(ready().keys('x\u007fp\r').verdict).toBe('proceed');
  });
});

describe('an abort at a verdict’s question', () => {
  it('needs a second a, and the first a shows a hint', () => {
    const person = ready().type('a').wait(500);
    expect([person.verdict, person.said]).toEqual([null, [expect.stringContaining('a again')]]);
    expect(person.wait(500).type('a').wait(500).verdict).toBe('abort');
    expect(ready().type('a\r').wait(500).type('abort\r').verdict).toBe('abort');
  });

  it('is not confirmed by a key that repeats', () => {
    for (const delayMs of [500, 660, 900]) {
      expect(ready().type('a').wait(delayMs).keys('a', 33).wait(5_000).verdict).toBeNull();
      expect(ready().type('a').wait(delayMs).keys('aaaaaa', 33).wait(5_000).verdict).toBeNull();
    }
    expect(ready().type('a\r').wait(300).type('a\r').wait(5_000).verdict).toBeNull();
  });

  it('is taken back by any other answer', () => {
    const person = ready().type('a').wait(1_000).type('no\r').wait(1_000).type('a').wait(1_000);
    expect(person.verdict).toBeNull();
    expect(ready().type('a').wait(1_000).type('p').wait(500).verdict).toBe('proceed');
  });
});
