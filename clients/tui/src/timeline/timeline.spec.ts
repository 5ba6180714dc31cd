import { describe, expect, it } from '@jest/globals';
import type { RunOutcome } from '@aish/contracts/actions';
import type { EventBody } from '@aish/contracts/events';
import { OUTCOME } from '@aish/contracts/testing/outcome';
import { textOf } from '@aish/views/line';
import { eventOf, uuid } from '@aish/client/testing/fixtures';
import { timelineLines } from './timeline.lines.js';
import { MAX_ENTRIES, OUTPUT_MAX_CHARS, emptyTimeline, type Timeline } from '@aish/views/entries';
import { addEvent, addLive } from '@aish/views/timeline';

const goalId = uuid(1);
const actionId = uuid(3001);
const decisionId = uuid(2001);
const command = 'rm -rf build';
const outcome: RunOutcome = { ...OUTCOME, durationMs: 12, output: 'gone\n' };
const classification = { verdict: 'destructive', reason: 'rm -rf', ruleId: 'r', span: [0, 6], by: 'rule' } as const;
const story: readonly EventBody[] = [
  { type: 'goal.created', goalId, number: 4, text: 'clean up', preset: 'fast', stepBudget: 16 },
  { type: 'goal.changed', goalId, state: 'running', reason: null, waitingFor: null, summary: null },
  { type: 'step.started', goalId, step: 1, stepBudget: 16 },
  { type: 'step.answered', goalId, step: 1, text: `Now.\nCMD: ${command}`, model: null, usage: null },
  {
    type: 'action.classified',
    goalId,
    actionId,
    kind: 'command',
    step: 1,
    n: 1,
    command,
    classification: { ...classification, span: [0, 6] },
  },
  {
    type: 'decision.requested',
    goalId,
    decisionId,
    number: 7,
    kind: 'halt',
    actionId,
    step: 1,
    stepBudget: 16,
    reason: 'rm -rf',
    action: command,
  },
  { type: 'decision.given', goalId, decisionId, number: 7, verdict: 'proceed', message: null, by: 'ann' },
  { type: 'action.started', goalId, actionId, kind: 'command', step: 1, command },
  { type: 'action.finished', goalId, actionId, kind: 'command', step: 1, outcome, result: null },
  { type: 'goal.changed', goalId, state: 'done', reason: null, waitingFor: null, summary: 'all clean' },
];

function after(bodies: readonly EventBody[]): Timeline {
  return bodies.reduce((timeline, body, index) => addEvent(timeline, eventOf(index + 1, body)), emptyTimeline);
}

function shown(timeline: Timeline, isUnfolded = false): string {
  return timelineLines(timeline, { width: 60, isUnfolded }).map(textOf).join('\n');
}

describe('the timeline', () => {
  it('the timeline ends with a summary of deleted and changed files', () => {
    const none = { files: 0, bytes: 0, paths: [] };
    const effects = {
      created: none,
      changed: none,
      deleted: { files: 1, bytes: 8, paths: ['copies/one'] },
      complete: true,
    };
    const removes = story.map((body) =>
      body.type === 'action.finished' ? { ...body, outcome: { ...outcome, effects } } : body,
    );
    expect(shown(after(removes))).toContain('  total changes: −1 file, 8 B gone\n    − copies/one');
    expect(shown(after(story))).not.toContain('total changes');
  });

  it('the timeline shows a goal from its text to its end', () => {
    expect(shown(after(story))).toBe(
      [
        'goal 4 · fast · up to 16 steps',
        '  clean up',
        '',
        'step 1/16',
        '  Now.',
        '  $ rm -rf build',
        '     HALT  d7: rm -rf',
        '    proceed by ann',
        '    gone',
        '    exit 0 · 12 ms',
        '',
        '✓ done',
        '  all clean',
      ].join('\n'),
    );
  });

  it('the timeline shows live text and output as they arrive, and later the stored version', () => {
    const writing = ['He', 'llo'].reduce(
      (timeline, text) => addLive(timeline, { type: 'model.delta', goalId, step: 1, text }),
      after(story.slice(0, 3)),
    );
    expect(shown(writing)).toContain('the model is writing\n  Hello');
    const running = addLive(after(story.slice(0, 8)), {
      type: 'action.output',
      goalId,
      actionId,
      stream: 'stdout',
      text: '\u001b[1mgo',
    });
    expect(shown(running)).toContain('    go\n    running…');
    const late = addLive(after(story), { type: 'action.output', goalId, actionId, stream: 'stdout', text: 'again' });
    expect(shown(late)).toBe(shown(after(story)));
  });

  it('a draft of an answer replaces its partial text', () => {
    const part = addLive(after(story.slice(0, 3)), { type: 'model.delta', goalId, step: 1, text: 'half an' });
    const draft = { text: 'All of it ', reasoning: 'hm' };
    const whole = addLive(part, { type: 'model.draft', goalId, step: 1, ...draft });
    const more = addLive(whole, { type: 'model.delta', goalId, step: 1, text: 'so far' });
    expect(more.entries.at(-1)).toMatchObject({ type: 'step', text: 'All of it so far', reasoning: 'hm' });
    const round = { exchange: 1, step: 1 };
    const chat = addLive(emptyTimeline, { type: 'answer.delta', ...round, text: 'half an' });
    const both = addLive(chat, { type: 'answer.draft', ...round, ...draft });
    expect(both.entries.at(-1)).toMatchObject({ type: 'answer', text: 'All of it ', reasoning: 'hm' });
  });

  it('the timeline does not show a command of a paused goal as running', () => {
    const paused = { state: 'paused', reason: 'paused by ann', waitingFor: null, summary: null } as const;
    const left = addEvent(after(story.slice(0, 8)), eventOf(9, { type: 'goal.changed', goalId, ...paused }));
    expect(shown(left)).toContain('aish reads its result when the goal continues');
    expect(shown(left)).not.toContain('running…');
  });

  it('the timeline drops the partial text of an answer that starts again', () => {
    const broken = addLive(after(story.slice(0, 3)), { type: 'model.delta', goalId, step: 1, text: 'half an' });
    const waiting = addEvent(
      broken,
      eventOf(4, {
        type: 'goal.changed',
        goalId,
        state: 'waiting',
        reason: 'refused',
        waitingFor: 'model',
        summary: null,
      }),
    );
    const again = addLive(waiting, { type: 'model.delta', goalId, step: 1, text: 'whole' });
    expect(shown(again)).not.toContain('half');
    expect(shown(again)).toContain('waiting for the model: refused');
  });

  it('the timeline shows a repeated wait for the same reason only once', () => {
    const changed = { type: 'goal.changed', goalId, summary: null } as const;
    const running = { ...changed, state: 'running', reason: null, waitingFor: null } as const;
    const refused = { ...changed, state: 'waiting', reason: 'refused', waitingFor: 'model' } as const;
    const gone = { ...refused, reason: 'not found' };
    const lines = shown(after([...story.slice(0, 3), refused, running, refused, running, gone, refused]));
    expect(lines.match(/waiting for .*/g)).toEqual([
      'waiting for the model: refused',
      'waiting for the model: not found',
      'waiting for the model: refused',
    ]);
  });

  it('the timeline omits a command from the answer if it shows the same command below the answer', () => {
    const heredoc = "cat > a <<'EOF'\n# b\nEOF";
    const told = (text: string, ran: readonly string[]) => {
      const actions = ran.map((each, index): EventBody => ({
        type: 'action.classified',
        goalId,
        actionId: uuid(3001 + index),
        kind: 'command',
        step: 1,
        n: 1,
        command: each,
        classification: { ...classification, span: [0, 6] },
      }));
      const answered: EventBody = { type: 'step.answered', goalId, step: 1, text, model: null, usage: null };
      return shown(after([...story.slice(2, 3), answered, ...actions]))
        .split('\n')
        .slice(2);
    };
    expect(told('Now.\nCMD: ls\nCMD:  ls\nGOAL: complete', ['ls'])).toEqual([
      '  Now.',
      '  CMD:  ls',
      '  GOAL: complete',
      '  $ ls',
    ]);
    expect(told(`CMD: ${heredoc}\n\nThen.`, [heredoc])[0]).toBe('  Then.');
    expect(told('<think>\nCMD: ls\n</think>\nCMD: ls', ['ls']).slice(1)).toEqual(['  $ ls']);
    expect(told('```\nCMD: ls\n```\nCMD: ls', ['ls'])).toEqual(['  ▏ CMD: ls', '  $ ls']);
    expect(told('CMD: cat <<E\n  a\nE', ['cat <<E\na\nE'])).toContain('    a');
    expect(told('CMD: rm -rf a', ['rm -ri a'])).toEqual(['  CMD: rm -rf a', '  $ rm -ri a']);
  });

  it('the timeline folds long outputs, and unfolds them on request', () => {
    const output = Array.from({ length: 40 }, (_, index) => `line ${index}`).join('\n');
    const finished: EventBody = {
      type: 'action.finished',
      goalId,
      actionId,
      kind: 'command',
      step: 1,
      outcome: { ...outcome, output },
      result: null,
    };
    const timeline = after([...story.slice(0, 8), finished]);
    expect(shown(timeline)).toContain(
      'line 3\n    … 28 more lines (Ctrl-O shows them, Alt-O opens a page)\n    line 32',
    );
    expect(shown(timeline, true)).toContain('line 20');
    const lines = timelineLines(timeline, { width: 80, isUnfolded: true });
    expect(lines.find((line) => textOf(line).includes('line 20'))).toContainEqual(
      expect.objectContaining({ text: expect.stringContaining('line 20'), style: 'plain' }),
    );
  });

  it('the timeline limits the number of its entries and the length of a live output', () => {
    const many = Array.from({ length: MAX_ENTRIES + 50 }, (_, index): EventBody => ({
      type: 'step.started',
      goalId,
      step: index + 1,
      stepBudget: 256,
    }));
    const timeline = after(many);
    expect([timeline.entries.length, timeline.dropped]).toEqual([MAX_ENTRIES, 50]);
    expect(shown(timeline)).toMatch(/^… 50 older entries omitted/);
    let running = after(story.slice(0, 8));
    for (let index = 0; index < 40; index += 1) {
      running = addLive(running, {
        type: 'action.output',
        goalId,
        actionId,
        stream: 'stdout',
        text: 'x'.repeat(1_000),
      });
    }
    const action = running.entries.find((entry) => entry.type === 'action');
    expect(action?.type === 'action' && action.output.length).toBe(OUTPUT_MAX_CHARS);
  });
});

describe("a model's text in the timeline", () => {
  const said = (text: string, isUnfolded = false, reasoning?: string): string =>
    timelineLines(
      addEvent(
        emptyTimeline,
        eventOf(1, {
          type: 'step.answered',
          goalId,
          step: 1,
          text,
          model: null,
          usage: null,
          ...(reasoning === undefined ? {} : { reasoning }),
        }),
      ),
      { width: 80, isUnfolded },
    )
      .map((each) => textOf(each).trimEnd())
      .slice(2)
      .join('\n');

  it('the timeline shows a command exactly, with its Markdown characters', () => {
    const command = 'CMD: echo "**a** *b*" \\"q\\" [x](y) <b> `date` ~~z~~';
    expect(said(`Now **this**:\n${command}`)).toBe(`  Now this:\n  ${command}`);
  });

  it('the timeline shows a multi-line command exactly, and the text after it as Markdown', () => {
    const text = 'CMD: cat > a <<EOF\n# no *heading*\n\n- **x**\nEOF\n\nThen **go**.';
    expect(said(text)).toBe('  CMD: cat > a <<EOF\n  # no *heading*\n\n  - **x**\n  EOF\n\n  Then go.');
  });

  it('the timeline shows invisible characters in a command', () => {
    expect(said('CMD: rm \u202efdp.x')).toBe('  CMD: rm \\u{202e}fdp.x');
  });

  it('the timeline folds thoughts, which do not affect the formatting of the text after them', () => {
    const text = `<think>\nThe user wants **all** of it.\n\`\`\`\n</think>\n\n# Result\n- one`;
    expect(said(text)).toBe('  thought for about 9 tokens (Ctrl-O shows it)\n\n  Result\n  ──────\n  • one');
    expect(said(text, true)).toContain('The user wants **all** of it.');
  });

  it('the timeline folds the recorded thoughts of a step', () => {
    expect(said('CMD: ls', false, 'I look first.')).toBe('  thought for about 4 tokens (Ctrl-O shows it)\n  CMD: ls');
    expect(said('CMD: ls', true, 'I look first.')).toContain('I look first.');
  });

  it('the timeline treats thoughts and commands inside a code block as code', () => {
    expect(said('```\n<think>\nCMD: x\n```\nafter')).toBe('  ▏ <think>\n  ▏ CMD: x\n  after');
  });

  it('the timeline shows the end of a thought while the thought arrives', () => {
    const live = addLive(emptyTimeline, {
      type: 'model.delta',
      goalId,
      step: 1,
      text: `<think>${'a line\n'.repeat(9)}the last`,
    });
    const shown = timelineLines(live, { width: 80, isUnfolded: false }).map(textOf);
    expect(shown.slice(2)).toEqual(['  a line', '  a line', '  the last']);
  });

  it("a person's command shows its live output and its end, or that it was lost", () => {
    const begin = (n: number): EventBody => {
      return { type: 'command.started', commandId: uuid(n), command: 'ls -l', by: 'ann' };
    };
    const live = { type: 'action.output', goalId: null, actionId: uuid(7), stream: 'stdout', text: 'a\n' } as const;
    const running = addLive(after([begin(7)]), live);
    expect(shown(running)).toBe('\n! ls -l\n    a\n    running…');
    const ended = addEvent(running, eventOf(2, { type: 'command.ended', commandId: uuid(7), outcome, reason: null }));
    expect(shown(ended)).toBe('\n! ls -l\n    gone\n    exit 0 · 12 ms');
    const refused: EventBody = { type: 'command.ended', commandId: uuid(7), outcome: null, reason: 'disk_full: no' };
    expect(shown(after([begin(7), refused]))).toBe('\n! ls -l\n    disk_full: no');
    expect(shown(after([begin(7), begin(8)]))).toMatch(/^\n! ls -l\n {4}lost: [^]*! ls -l\n {4}running…$/);
  });

  it('goals and chats describe the progress of a model in the same words', () => {
    const work = { phase: 'reads', done: 2_400, of: 6_000, seconds: 12 } as const;
    const goal = addLive(emptyTimeline, { type: 'model.progress', goalId, step: 1, ...work });
    const chat = addLive(emptyTimeline, { type: 'answer.progress', exchange: 1, step: 1, ...work });
    for (const each of [goal, chat]) expect(shown(each)).toContain('the model is reading 40 % of 6000 tokens · 12 s');
    const thought = { text: 'hm, first' };
    const goalThinks = addLive(goal, { type: 'model.reasoning', goalId, step: 1, ...thought });
    const chatThinks = addLive(chat, { type: 'answer.reasoning', exchange: 1, step: 1, ...thought });
    for (const each of [goalThinks, chatThinks]) expect(shown(each)).toContain('hm, first');
  });

  it('the timeline shows the activity of the model and its duration until the answer is complete', () => {
    const doing = { type: 'model.progress', goalId, step: 1, of: null } as const;
    const begun = addEvent(emptyTimeline, eventOf(1, { type: 'step.started', goalId, step: 1, stepBudget: 16 }));
    const reading = addLive(begun, { ...doing, phase: 'reads', done: 2_400, of: 6_000, seconds: 12 });
    expect(shown(reading)).toContain('step 1/16 · the model is reading 40 % of 6000 tokens · 12 s');
    const thought = addLive(reading, { type: 'model.reasoning', goalId, step: 1, text: 'hm, first' });
    const thinking = addLive(thought, { ...doing, phase: 'thinks', done: 3, seconds: 14 });
    expect(shown(thinking)).toContain('step 1/16 · the model is thinking, about 3 tokens · 14 s\n  hm, first');
    const loading = addLive(begun, { ...doing, phase: 'loads', done: 40, of: 100, seconds: 3 });
    expect(shown(loading)).toContain('the model is loading, 40 % · 3 s');
    const words = addLive(reading, { type: 'model.delta', goalId, step: 1, text: 'I look.' });
    expect(shown(words)).toContain('step 1/16 · the model is writing\n  I look.');
    const writing = addLive(words, { ...doing, phase: 'writes', done: 2, seconds: 13 });
    expect(shown(writing)).toContain('step 1/16 · the model is writing, about 2 tokens · 13 s');
    const answered = { type: 'step.answered', goalId, step: 1, text: 'I look.', model: 'm', usage: null } as const;
    expect(shown(addEvent(writing, eventOf(2, answered)))).not.toContain('about 2 tokens');
  });

  it('the timeline shows how long a live thought took', () => {
    const pieces = ['<think>a', 'b', 'c</think>\n', 'Done.'];
    const live = pieces.reduce(
      (timeline, text, at) => addLive(timeline, { type: 'model.delta', goalId, step: 1, text }, at * 1_000),
      addEvent(emptyTimeline, eventOf(1, { type: 'step.started', goalId, step: 1, stepBudget: 16 })),
    );
    const shown = timelineLines(live, { width: 80, isUnfolded: false }).map(textOf);
    expect(shown[2]).toBe('  thought for about 1 token, 1.0 s (Ctrl-O shows it)');
  });

  it('the timeline shows a growing text at every length without an error', () => {
    const text = 'Look:\n\nCMD: ls *.x *.y\n\nand <think>\n**hm**\n</think>\n<think>a\nb</think>\n- one\n- two\n';
    for (let end = 1; end <= text.length; end += 1) {
      const live = addLive(emptyTimeline, { type: 'model.delta', goalId, step: 1, text: text.slice(0, end) });
      expect(() => timelineLines(live, { width: 40, isUnfolded: false })).not.toThrow();
    }
  });
});

describe('a tool call in a chat', () => {
  const of = { exchange: 1, step: 1 };
  const call = { id: 'c1', name: 'web__search', arguments: '{"q":"herons"}' };
  const ended: EventBody = {
    type: 'answer.ended',
    ...of,
    turn: 2,
    preset: 'fast',
    fallbackFrom: null,
    text: '',
    reasoning: '',
    toolCalls: [call],
    end: 'whole',
    model: null,
    usage: null,
    notes: [],
    firstWordMs: null,
    totalMs: 12,
  };
  const shown = (timeline: Timeline): string =>
    timelineLines(timeline, { width: 80, isUnfolded: false }).map(textOf).join('\n');

  it('the timeline shows a tool call of a chat only while a second model checks it', () => {
    const begun = addEvent(
      emptyTimeline,
      eventOf(1, { type: 'answer.started', ...of, preset: 'fast', fallbackFrom: null }),
    );
    const looking = addEvent(begun, eventOf(2, ended));
    expect(shown(looking)).toContain('aish is checking web__search …');
    const looked = addEvent(
      looking,
      eventOf(3, { type: 'exchange.ended', exchange: 1, end: 'answered', trouble: null }),
    );
    expect(shown(looked)).not.toContain('aish is checking');
  });
});
