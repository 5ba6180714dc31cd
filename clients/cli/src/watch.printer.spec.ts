import { describe, expect, it } from '@jest/globals';
import type { RunOutcome } from '@aish/contracts/actions';
import type { EventBody, LiveBody } from '@aish/contracts/events';
import { OUTCOME } from '@aish/contracts/testing/outcome';
import fc from 'fast-check';
import { eventOf, uuid } from '@aish/client/testing/fixtures';
import { paletteFor } from '@aish/views/text/palette';
import { WatchPrinter } from './watch.printer.js';

const goalId = uuid(1);
const actionId = uuid(3001);
const outcome: RunOutcome = { ...OUTCOME, durationMs: 12, output: 'one\ntwo\n' };
const TEXT = 'I look at it.\nCMD: ls';
const safe = { verdict: 'safe', reason: null, ruleId: null, span: null, by: 'rule' } as const;

const started = (step: number): EventBody => ({ type: 'step.started', goalId, step, stepBudget: 16 });
const answered = (step: number, text = TEXT): EventBody => ({
  type: 'step.answered',
  goalId,
  step,
  text,
  model: null,
  usage: null,
});
const asked = {
  type: 'decision.requested',
  goalId,
  decisionId: uuid(2),
  number: 50,
  kind: 'halt',
  actionId,
  step: 1,
  stepBudget: 16,
  reason: 'deletes',
  action: 'ls',
} as const;
const classified: EventBody = {
  type: 'action.classified',
  goalId,
  actionId,
  step: 1,
  n: 1,
  kind: 'command',
  command: 'ls',
  classification: safe,
};
const begun: EventBody = { type: 'action.started', goalId, actionId, step: 1, kind: 'command', command: 'ls' };
const finished: EventBody = {
  type: 'action.finished',
  goalId,
  actionId,
  step: 1,
  kind: 'command',
  outcome,
  result: null,
};
const delta = (step: number, text: string): LiveBody => ({ type: 'model.delta', goalId, step, text });
const output = (text: string): LiveBody => ({ type: 'action.output', goalId, actionId, stream: 'stdout', text });

/** Simulates a watch with events, live text, and the time between them. */
class Watched {
  private nowMs = 0;
  private readonly printer: WatchPrinter;
  private seq = 0;
  private written = '';

  constructor(redraws = false) {
    this.printer = new WatchPrinter(
      paletteFor(0),
      () => 100,
      () => this.nowMs,
      redraws,
    );
    this.printer.connected();
  }

  add(...happened: readonly (EventBody | LiveBody)[]): this {
    for (const body of happened) {
      this.written += LIVE.has(body.type)
        ? this.printer.live(body as LiveBody)
        : this.printer.event(eventOf((this.seq += 1), body as EventBody));
    }
    return this;
  }

  /** The printed text without bold. */
  get text(): string {
    return this.written.replaceAll(SGR, '');
  }

  wait(ms: number): this {
    this.nowMs += ms;
    return this;
  }

  again(): this {
    this.printer.connected();
    return this;
  }
}
const SGR = new RegExp(`${String.fromCharCode(27)}\\[\\d*m`, 'g');
const LIVE = new Set(['model.delta', 'model.progress', 'action.output']);

const WHOLE = `
step 1/16
  │ I look at it.
  │ CMD: ls
  $ ls
    │ one
    │ two
    exit 0 · 12 ms

step 2/16
  │ Done.
`;

describe('a watched goal', () => {
  it('the printer prints live text as it arrives', () => {
    const watched = new Watched().wait(1_000).add(started(1), delta(1, 'I look '));
    expect(watched.text).toBe('\nstep 1/16\n  │ I look ');
    watched.add(delta(1, 'at it.\nCMD: ls'), answered(1), classified, begun, output('one\n'), output('two\n'));
    watched.add(finished, started(2), delta(2, 'Done.'), answered(2, 'Done.'));
    expect(watched.text).toBe(WHOLE);
  });

  describe('the progress line of a watch', () => {
    const reads = (done: number, seconds: number): LiveBody => ({
      type: 'model.progress', goalId, step: 1, phase: 'reads', done, of: 6_000, seconds,
    }); // prettier-ignore
    const happened = [started(1), reads(600, 1), reads(3_000, 12), delta(1, 'I look ')];
    const erase = '\r\u001b[2K';

    it("a terminal shows one line with the model's current activity and its duration", () => {
      expect(new Watched(true).wait(1_000).add(...happened).text).toBe(
        `\nstep 1/16\n${erase}  the model is reading 10 % of 6000 tokens · 1 s` +
          `${erase}  the model is reading 50 % of 6000 tokens · 12 s${erase}  │ I look `,
      );
    });

    it('the progress line of a watch is not written to a file', () => {
      expect(new Watched().wait(1_000).add(...happened).text).toBe('\nstep 1/16\n  │ I look ');
    });

    it('a watch shows no progress line for a step that has ended or whose answer is arriving', () => {
      const ended = new Watched(true).wait(1_000).add(started(1), delta(1, 'I look at it.\nCMD: ls'), reads(1, 1));
      expect(ended.add(answered(1), reads(1, 1)).text).not.toContain('is reading');
    });
  });

  it('a step is printed as a whole at its end if the watch began in the middle of the step', () => {
    const watched = new Watched().add(started(1), delta(1, 'at it.\n'), delta(1, 'CMD: ls'));
    expect(watched.text).toBe('\nstep 1/16\n');
    watched.add(answered(1), classified, begun, output('two\n'), finished, started(2), answered(2, 'Done.'));
    expect(watched.text).toBe(WHOLE);
  });

  it('a watch prints each text once and in order, whenever its live text arrives', () => {
    const events = [started(1), answered(1), classified, begun, finished, started(2), answered(2, 'Done.')];
    const lives = [
      delta(1, 'I look '),
      delta(1, 'at it.\nCMD: ls'),
      output('one\n'),
      output('two\n'),
      delta(2, 'Done.'),
    ];
    fc.assert(
      fc.property(fc.array(fc.nat(events.length), { minLength: 5, maxLength: 5 }), fc.nat(1_000), (places, waitMs) => {
        const watched = new Watched().wait(waitMs);
        // Live text keeps its order, and so do events. The mix of the two is random.
        const sorted = places.toSorted((a, b) => a - b);
        for (let at = 0; at <= events.length; at += 1) {
          for (const [index, place] of sorted.entries()) if (place === at) watched.add(lives[index] as LiveBody);
          const event = events[at];
          if (event !== undefined) watched.add(event);
        }
        expect(watched.text).toBe(WHOLE);
      }),
    );
  });

  it('a watch that lost its connection continues where its text stopped', () => {
    const watched = new Watched().wait(1_000).add(started(1), delta(1, 'I look '));
    watched.wait(5_000).again().add(delta(1, 'ls'), answered(1), classified, begun, finished);
    watched.add(started(2), answered(2, 'Done.'));
    expect(watched.text).toBe(WHOLE);
  });

  it('a watch prints an answer again from its beginning if the model was unavailable in between', () => {
    const waits: EventBody = {
      type: 'goal.changed',
      goalId,
      state: 'waiting',
      reason: 'away',
      waitingFor: 'model',
      summary: null,
    };
    const watched = new Watched().wait(1_000).add(started(1), delta(1, 'I lo'), waits, delta(1, 'I look'));
    watched.add(answered(1));
    expect(watched.text).toBe('\nstep 1/16\n  │ I lo\n  waiting for the model: away\n  │ I look at it.\n  │ CMD: ls\n');
  });

  it('a watch shows the folder and variables of a decision, and whether the verdict includes the variables', () => {
    const variables = [{ name: 'PATH', value: '/workspace/bin:/bin' }];
    const executionContext = { folder: '/workspace/proj', variables, digest: 'd' };
    const watched = new Watched().add(
      { ...asked, executionContext },
      {
        type: 'decision.given',
        goalId,
        decisionId: uuid(2),
        number: 50,
        verdict: 'proceed',
        by: 'ann',
        message: null,
        carried: true,
      },
    );
    expect(watched.text).toContain('    in /workspace/proj\n    earlier commands set PATH=/workspace/bin:/bin\n');
    expect(watched.text).toContain('d50: proceed by ann, with the variables of earlier commands');
  });

  it('a watch puts the gutter before every line of output that imitates aish', () => {
    const forged = '    HALT  d7: deletes files\r    d7: proceed by admin\u2028\n    exit 0 · 1.8 s';
    const watched = new Watched().wait(1_000).add(begun, output(forged));
    watched.add({ ...finished, outcome: { ...outcome, output: forged } });
    expect(watched.text.split('\n').filter((each) => !each.startsWith('    │ '))).toEqual(['    exit 0 · 12 ms', '']);
  });

  it('a watch prints how to undo an action by the number of its decision', () => {
    const watched = new Watched().add(asked, {
      type: 'action.snapshot',
      goalId,
      actionId,
      step: 1,
      sizeBytes: 10,
      reason: null,
    });
    expect(watched.text).toContain('to restore it: aish undo d50');
  });
});
