import { describe, expect, it } from '@jest/globals';
import { QUIET_MS, VerdictLine } from './verdict-line.js';

/** A person who types an answer to a question that appeared at 0 ms. */
class Person {
  private readonly line = new VerdictLine(0);
  private atMs = 0;
  private dueMs: number | null = null;
  readonly messages: string[] = [];
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

  /** Types character by character, as a keyboard sends them. */
  keys(text: string, gapMs = 60): this {
    for (const key of text) this.type(key).wait(gapMs);
    return this;
  }

  private take(came: ReturnType<VerdictLine['type']>): void {
    this.dueMs = came.type === 'waits' ? this.atMs + QUIET_MS : null;
    if (came.type === 'said') this.messages.push(came.text);
    if (came.type === 'verdict') this.verdict = came.verdict;
  }
}

const ready = (): Person => new Person().wait(2_000);

describe('an action that is longer than the screen', () => {
  it('an action that is longer than the screen can be approved only after its last page has been shown', () => {
    const line = new VerdictLine(0, 2);
    expect(line.type('p\r', 1_000)).toEqual({
      type: 'said',
      text: 'there is more: press Enter to see it; p works at the end',
    });
    expect(line.type('\r', 3_000)).toEqual({ type: 'page' });
    expect(line.type('p\r', 5_000)).toMatchObject({ type: 'said' });
    expect(line.type('\r', 7_000)).toEqual({ type: 'page' });
    expect(line.type('p\r', 9_000)).toEqual({ type: 'verdict', verdict: 'proceed' });
  });

  it('an action that is longer than the screen can be refused on its first page', () => {
    expect(new VerdictLine(0, 2).type('s\r', 1_000)).toEqual({ type: 'verdict', verdict: 'skip' });
    expect(new VerdictLine(0, 2).type('n\r', 1_000)).toEqual({ type: 'verdict', verdict: 'instead' });
  });
});

describe('an answer that is typed when a verdict is asked for', () => {
  it.each([
    ['p', 'proceed'],
    ['s', 'skip'],
    ['P', 'proceed'],
  ])('the key %s alone means %s half a second later', (key, verdict) => {
    const person = ready().type(key).wait(499);
    expect(person.verdict).toBeNull();
    expect(person.wait(1).verdict).toBe(verdict);
  });

  it.each(['p\r', 'proceed\r', ' p \r', 'P\n', 'p\r\n'])(
    '%j means proceed at once, whether it arrives in one piece or key by key',
    (line) => {
      expect(ready().type(line).verdict).toBe('proceed');
      expect(ready().keys(line).verdict).toBe('proceed');
      expect(ready().keys(line, 400).verdict).toBe('proceed');
    },
  );

  it.each([
    ['yes\r', '“yes” is not an answer'],
    ['y', '“y” is not an answer'],
    ['\r', 'Enter alone is not an answer'],
    ['p?\r', '“p?” is not an answer'],
    ['\u001b[A', 'that key is not an answer'],
    ['\t', 'that key is not an answer'],
    ['proceed', '“proceed” is not an answer'],
    ['p\np\n', 'more than one line is not an answer'],
    ['\u202eskip\r', '“\\u{202e}skip” is not an answer'],
  ])('%j is not a verdict, and a message explains why', (typed, why) => {
    const person = ready().type(typed).wait(2_000);
    expect([person.verdict, person.messages]).toEqual([null, [expect.stringContaining(why)]]);
  });

  it('an answer is accepted again half a second after a hint', () => {
    expect(ready().type('yes\r').wait(500).type('p\r').verdict).toBe('proceed');
    expect(ready().type('yes\r').wait(400).type('p\r').verdict).toBeNull();
  });

  it('text that is typed before or while the question appears is not an answer', () => {
    for (const early of [new Person().type('p'), new Person().type('p\r'), new Person().wait(499).type('p', '\r')]) {
      const person = early.wait(2_000);
      expect([person.verdict, person.messages]).toEqual([null, [expect.stringContaining('was typed too early')]]);
    }
    const typist = new Person().keys('please do not', 90).keys('p\r', 90).wait(2_000);
    expect(typist.verdict).toBeNull();
    const paster = new Person().type('rm -rf x\np\n').wait(2_000);
    expect(paster.verdict).toBeNull();
  });

  it('a letter within a sentence is not an answer', () => {
    const person = ready().keys('a quick plan: proceed, skip and abort', 450).wait(5_000);
    expect([person.verdict, person.messages.length]).toEqual([null, 1]);
  });

  it('a typed answer can be corrected with Backspace', () => {
    expect(ready().keys('x\u007fp\r').verdict).toBe('proceed');
  });
});

describe('an abort at a verdict’s question', () => {
  it('an abort needs a second a, and the first a only shows a hint', () => {
    const person = ready().type('a').wait(500);
    expect([person.verdict, person.messages]).toEqual([null, [expect.stringContaining('a again')]]);
    expect(person.wait(500).type('a').wait(500).verdict).toBe('abort');
    expect(ready().type('a\r').wait(500).type('abort\r').verdict).toBe('abort');
  });

  it('a repeating key does not confirm an abort', () => {
    for (const delayMs of [500, 660, 900]) {
      expect(ready().type('a').wait(delayMs).keys('a', 33).wait(5_000).verdict).toBeNull();
      expect(ready().type('a').wait(delayMs).keys('aaaaaa', 33).wait(5_000).verdict).toBeNull();
    }
    expect(ready().type('a\r').wait(300).type('a\r').wait(5_000).verdict).toBeNull();
  });

  it('any other answer cancels an abort', () => {
    const person = ready().type('a').wait(1_000).type('no\r').wait(1_000).type('a').wait(1_000);
    expect(person.verdict).toBeNull();
    expect(ready().type('a').wait(1_000).type('p').wait(500).verdict).toBe('proceed');
  });
});
