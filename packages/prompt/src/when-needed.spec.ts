import { describe, expect, it } from '@jest/globals';
import type { ShownTurn } from '@aish/contracts/sessions';
import { compose } from './compose.js';
import { explained } from './when-needed.js';

const output = (seq: number, ...lines: string[]): ShownTurn => ({ seq, role: 'output', content: lines.join('\n') });
const goal: ShownTurn = { seq: 1, role: 'user', content: 'do it' };
const answer = (seq: number): ShownTurn => ({ seq, role: 'assistant', content: 'CMD: x' });
const toldBy = (result: ShownTurn, of: 'goal' | 'chat' = 'goal') =>
  explained([goal, answer(2), result], of)
    .slice(3)
    .map(({ content }) => /^(?:NEED: \w+|GOAL: check)/m.exec(content)?.[0]);

describe('explained', () => {
  it.each([
    ['curl: (6) Could not resolve host: nas.lan', 'NEED: network'],
    ['ssh: Could not resolve hostname nas: Temporary failure in name resolution', 'NEED: network'],
    ['curl: (7) Failed to connect to 10.0.0.2 port 80: Connection refused', 'NEED: network'],
    ['ping: connect: Network is unreachable', 'NEED: network'],
    ['git@nas: Permission denied (publickey).', 'NEED: network'],
    ['curl: (22) The requested URL returned error: 401', 'NEED: secret'],
    ['sh: 1: ffmpeg: not found', 'NEED: image'],
    ['bash: line 1: jq: command not found', 'NEED: image'],
    ["ModuleNotFoundError: No module named 'requests'", 'NEED: image'],
  ])('a notice tells the model how to ask for access if “%s” fails', (line, need) => {
    expect(toldBy(output(3, '[exec] $ x', 'exit code 1', `| ${line}`))).toEqual([need]);
    expect(toldBy(output(3, '[exec] $ x', 'exit code 1', `| ${line}`), 'chat')).toEqual([need]);
  });

  it.each([
    ['a command that succeeded', output(3, '[exec] $ x', 'exit code 0', '| Connection refused')],
    ['another failure', output(3, '[exec] $ x', 'exit code 1', '| No such file or directory')],
    ['the command’s own words', output(3, '[exec] $ echo command not found', 'exit code 1', '(no output)')],
  ])('the model gets no explanation after %s', (_, result) => {
    expect(toldBy(result)).toEqual([]);
  });

  it('the model of a goal learns how to propose a check once it has changed files', () => {
    const wrote = output(3, '[exec] $ touch x', 'exit code 0', '(no output)', '(in the workspace: 1 created)');
    expect(toldBy(wrote)).toEqual(['GOAL: check']);
    expect(toldBy(wrote, 'chat')).toEqual([]);
  });

  it('each explanation for the model is given once, and earlier messages never change', () => {
    const failing = (seq: number) => output(seq, '[exec] $ x', 'exit code 1', '| Connection refused');
    const turns = [
      goal,
      answer(2),
      failing(3),
      answer(4),
      failing(5),
      answer(6),
      output(7, '[exec] $ y', 'exit code 127', '| sh: y: not found'),
    ];
    const all = explained(turns, 'goal');
    expect(all).toHaveLength(turns.length + 2);
    for (let count = 1; count <= turns.length; count += 1) {
      const before = explained(turns.slice(0, count), 'goal');
      expect(all.slice(0, before.length)).toEqual(before);
    }
  });

  it('an explanation for the model is kept when its turn is dropped', () => {
    const turns = [goal, answer(2), output(3, '[exec] $ x', 'exit code 1', '| Connection refused')];
    for (let seq = 4; seq < 60; seq += 2)
      turns.push(answer(seq), output(seq + 1, '[exec] $ x', 'exit code 0', `| ${'x'.repeat(400)}`));
    const messages = compose('S', explained(turns, 'goal'), 2_000);
    expect(messages[1]?.content).toContain('NEED: network');
  });
});
