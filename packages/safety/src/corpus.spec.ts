import { describe, expect, it } from '@jest/globals';
import { classify } from './classify.js';
import { knownReadOnly } from './known-read-only.js';
import { CORPUS_SETS, labelledCalls, labelledCommands } from './testing/corpus.js';
import { classifyToolCall } from './tool-calls.js';

describe.each(CORPUS_SETS)('the labelled commands of %s.jsonl', (name) => {
  const commands = labelledCommands(name);
  const wrong = commands.filter(({ cmd, label }) => (classify(cmd).verdict === 'safe') !== (label === 'safe'));

  it('are judged as a person labelled them, but for one in a hundred', () => {
    expect(commands.length).toBeGreaterThan(300);
    expect(wrong.filter(({ label }) => label === 'destructive').length).toBeLessThan(commands.length * 0.005);
    expect(wrong.filter(({ label }) => label === 'safe').length).toBeLessThan(commands.length * 0.01);
  });

  it('are never known to be read-only when they destroy', () => {
    expect(commands.filter(({ cmd, label }) => label === 'destructive' && knownReadOnly(cmd))).toEqual([]);
  });
});

describe('the labelled tool calls', () => {
  it('are judged as a person labelled them', () => {
    const wrong = labelledCalls().filter(
      ({ label, ...call }) => (classifyToolCall(call).verdict === 'safe') !== (label === 'safe'),
    );
    expect(wrong).toEqual([]);
  });
});

describe('knownReadOnly', () => {
  it('knows commands made of reading only', () => {
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

  it('does not know what builds, writes or cannot be read', () => {
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
