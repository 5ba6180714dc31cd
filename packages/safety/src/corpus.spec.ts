import { describe, expect, it } from '@jest/globals';
import { classify } from './classify.js';
import { knownReadOnly } from './known-read-only.js';
import { CORPUS_SETS, labelledCalls, labelledCommands } from './testing/corpus.js';
import { classifyToolCall } from './tool-calls.js';

describe.each(CORPUS_SETS)('the labelled commands of %s.jsonl', (name) => {
  const commands = labelledCommands(name);
  const wrong = commands.filter(({ cmd, label }) => (classify(cmd).verdict === 'safe') !== (label === 'safe'));

  it('at least 99 of 100 labelled commands are judged as a person labelled them', () => {
    expect(commands.length).toBeGreaterThan(300);
    expect(wrong.filter(({ label }) => label === 'destructive').length).toBeLessThan(commands.length * 0.005);
    expect(wrong.filter(({ label }) => label === 'safe').length).toBeLessThan(commands.length * 0.01);
  });

  it('no destructive labelled command counts as read-only', () => {
    expect(commands.filter(({ cmd, label }) => label === 'destructive' && knownReadOnly(cmd))).toEqual([]);
  });
});

describe('the labelled tool calls', () => {
  it('every labelled tool call is judged as a person labelled it', () => {
    const wrong = labelledCalls().filter(
      ({ label, ...call }) => (classifyToolCall(call).verdict === 'safe') !== (label === 'safe'),
    );
    expect(wrong).toEqual([]);
  });
});

describe('knownReadOnly', () => {
  it('commands that only read are known as read-only', () => {
    for (const command of [
      'ls -la | grep x',
      'git status && git log -3',
      'docker ps',
      'sudo systemctl status nginx',
      "bash -c 'df -h'",
      'kubectl -n x get pods',
      'cat a 2>/dev/null',
    ]) {
      expect([command, knownReadOnly(command)]).toEqual([command, true]);
    }
  });

  it('commands that build, write or cannot be read are not known as read-only', () => {
    for (const command of [
      'make',
      'npm test',
      'ls >> a',
      'mytool list',
      '$X',
      'touch a',
      'python3 a.py',
      'git commit -m x',
      "node -e '1'",
      '',
    ]) {
      expect([command, knownReadOnly(command)]).toEqual([command, false]);
    }
  });
});
