import { describe, expect, it } from '@jest/globals';
import { MAX_COMMAND_LINES, extract } from './extract.js';
import { openPart } from './shell-complete.js';

describe('a command over several lines', () => {
  it('a here-document belongs to its command completely, including lines that look like actions', () => {
    const command = "cat > run.sh <<'EOF'\necho hi\nCMD: rm -rf /\nGOAL: complete\nEOF";
    expect(extract(`I write it.\nCMD: ${command}\nCMD: sh run.sh`)).toEqual({
      commands: [command, 'sh run.sh'],
      goalLine: null,
    });
  });

  it('lines of open quotes and after a trailing backslash belong to the command', () => {
    expect(extract('CMD: printf "a\nb"\nCMD: ls \\\n  -la\nGOAL: complete')).toMatchObject({
      commands: ['printf "a\nb"', 'ls \\\n  -la'],
      goalLine: { kind: 'complete' },
    });
  });

  it('an incomplete command ends after its first line, and the next commands are found', () => {
    expect(extract("CMD: echo it's\nCMD: ls\nGOAL: complete").commands).toEqual(["echo it's", 'ls']);
    const long = `CMD: cat <<EOF\n${'x\n'.repeat(MAX_COMMAND_LINES + 10)}EOF`;
    expect(extract(long).commands).toEqual(['cat <<EOF']);
  });

  it('extract reads a proposed check or plan from its GOAL: line', () => {
    expect(extract('GOAL: verify test -f out.txt').goalLine).toEqual({ kind: 'verify', command: 'test -f out.txt' });
    expect(extract('GOAL: check test -f out.txt').goalLine).toEqual({ kind: 'check', command: 'test -f out.txt' });
    expect(extract('GOAL: verify').goalLine).toBeNull();
    expect(extract('GOAL: plan').goalLine).toBeNull();
    expect(extract('GOAL: plan\n1. Look\n2. Write').goalLine).toEqual({ kind: 'plan', plan: '1. Look\n2. Write' });
  });
});

describe('a question to a person', () => {
  it('a question to a person includes the text after it, and must not be empty', () => {
    expect(extract('GOAL: ask Which disk?\nsda is nearly full.\nCMD: df').goalLine).toEqual({
      kind: 'ask',
      question: 'Which disk?\nsda is nearly full.',
    });
    expect(extract('GOAL: ask: \nWhich one?').goalLine).toEqual({ kind: 'ask', question: 'Which one?' });
    expect(extract('GOAL: ask\n').goalLine).toBeNull();
    expect(extract('GOAL: asking nobody').goalLine).toBeNull();
  });

  it('GOAL: blocked with a question counts as that question', () => {
    expect(extract('GOAL: blocked Which disk?').goalLine).toEqual({ kind: 'ask', question: 'Which disk?' });
    expect(extract('GOAL: blocked\nWhich disk?').goalLine).toEqual({ kind: 'ask', question: 'Which disk?' });
    expect(extract('GOAL: blocked no such disk').goalLine).toMatchObject({ kind: 'blocked' });
  });
});

describe('requests for access', () => {
  it('extract reads a request for access from its own line, beside the commands of the answer', () => {
    expect(extract('I look first.\nCMD: df\nNEED: secret KEY for grafana.lan: to ask it\nGOAL: blocked')).toEqual({
      commands: ['df'],
      goalLine: {
        kind: 'need',
        need: { kind: 'secret', name: 'KEY', target: { host: 'grafana.lan', port: 443, tls: true }, why: 'to ask it' },
      },
    });
    expect(extract('GOAL: complete\nNEED: host nas').goalLine).toMatchObject({ kind: 'complete' });
    expect(extract("CMD: cat <<'EOF'\nNEED: host nas\nEOF").goalLine).toBeNull();
  });

  it('a request for access takes precedence over a proposed check', () => {
    expect(extract('GOAL: check test -f x\nNEED: host nas').goalLine).toMatchObject({ kind: 'need' });
    expect(extract('NEED: host nas\nGOAL: check test -f x').goalLine).toMatchObject({ kind: 'need' });
    expect(extract('GOAL: check a\nGOAL: check b').goalLine).toEqual({ kind: 'check', command: 'a' });
  });

  it('a request for something that cannot be granted becomes a question', () => {
    expect(extract('NEED: a larger disk').goalLine).toEqual({ kind: 'ask', question: 'I need a larger disk' });
    expect(extract('NEED:').goalLine).toBeNull();
  });
});

describe('openPart', () => {
  it.each([
    ['ls -la', null],
    ["echo 'a", 'single-quote'],
    ['echo "a\\"', 'double-quote'],
    ['echo `a', 'backquote'],
    ['ls \\', 'backslash'],
    ["echo it\\'s", null],
    ['cat <<EOF', 'here-document'],
    ['cat <<EOF\na\nEOF', null],
    ['cat <<-EOF\n\ta\n\tEOF', null],
    ['cat <<A <<B\n1\nA\n2\nB', null],
    ['cat <<A <<B\n1\nA\n2', 'here-document'],
    ['cat <<< word', null],
    ['echo $((1 << 3))', null],
    ["echo a # it's a comment", null],
    ["echo a#it's", 'single-quote'],
    ['cat <<"E F"\nx\nE F', null],
  ])('the open part of %j is %s', (text, open) => expect(openPart(text)).toBe(open));
});
