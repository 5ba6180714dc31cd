import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { actionOfCall, actionOfCommand, linesOfAction } from './action-calls.js';

describe("a tool call for one of aish's own actions", () => {
  it.each([
    ['bash', '{"command":"ls -la"}'],
    ['run', '{"cmd":"ls -la"}'],
    ['functions.shell', '{"cmd":["bash","-lc","ls -la"],"timeout":9}'],
    ['execute_command', '{"command":" ls -la ","cwd":"/workspace"}'],
    ['sh', '"{\\"script\\":\\"ls -la\\"}"'],
    ['list_files', '{"path":"."}'],
  ])('a call of %s with %s is a command', (name, args) => {
    expect(actionOfCall({ name, arguments: args })).toEqual({ kind: 'run', command: 'ls -la' });
  });

  it.each([
    ['another tool', 'fs__read', '{"command":"ls"}'],
    ['arguments that are incomplete', 'bash', '{"command":"rm -rf /wor'],
    ['another folder', 'bash', '{"command":"ls","cwd":"/etc"}'],
    ['two commands', 'bash', '{"command":"ls","input":"y"}'],
    ['no words', 'bash', '{"command":" "}'],
    ['a list of words', 'bash', '{"command":["rm","a b"]}'],
    ['a part of a file', 'read_file', '{"path":"a","offset":9}'],
    ['no text to replace', 'edit', '{"path":"a","old":"","new":"b"}'],
    ['no question', 'ask', '{"question":""}'],
  ])('a call with %s is not an action: %s', (_, name, args) => {
    expect(actionOfCall({ name, arguments: args })).toBeNull();
  });

  it.each([
    ['edit', { path: 'a', old: 'b', new: 'c' }],
    ['replace', { file_path: 'a', old_string: 'b', new_string: 'c' }],
    ['str_replace_editor', { command: 'str_replace', path: 'a', old_str: 'b', new_str: 'c' }],
  ])('a call of %s is an edit', (name, args) => {
    expect(actionOfCall({ name, arguments: JSON.stringify(args) })).toEqual({
      kind: 'edit',
      path: 'a',
      old: 'b',
      new: 'c',
    });
  });

  it.each([
    ['write', { path: 'a/b', text: 'c\n' }, "CMD: mkdir -p -- 'a' && cat > 'a/b' <<'END'\nc\nEND"],
    ['write_to_file', { path: "it's", content: 'END' }, "CMD: cat > 'it'\\''s' <<'END2'\nEND\nEND2"],
    ['edit', { path: '~/a', old: 'b', new: '' }, "CMD: aish-edit '/workspace/a' 3<<'OLD' 4<<'NEW'\nb\nOLD\nNEW"],
    ['read', { filePath: 'a b' }, "CMD: cat 'a b'"],
    ['attempt_completion', { result: 'Three.' }, 'GOAL: complete\nThree.'],
    ['finish', {}, 'GOAL: complete'],
    ['ask_followup_question', { question: 'Which?' }, 'GOAL: ask Which?'],
  ])('a call of %s is recorded as lines of an answer', (name, args, lines) => {
    const action = actionOfCall({ name, arguments: JSON.stringify(args) });
    expect(action === null ? null : linesOfAction(action)).toBe(lines);
  });
});

describe('a command shown as a tool call', () => {
  const text = fc.string({ unit: fc.constantFrom('a', 'OLD', 'NEW', 'END', '\n', "'", '$', '\\', ' ') });
  const path = fc.string({ unit: fc.constantFrom('a', '/', "'", ' ', '.', '-'), minLength: 1 });

  it('a command for an edit becomes the same edit', () => {
    fc.assert(
      fc.property(path, text, text, (where, old, now) => {
        const action = { kind: 'edit', path: where, old, new: now } as const;
        expect(actionOfCommand(linesOfAction(action).slice('CMD: '.length))).toEqual(action);
      }),
    );
  });

  it('a command that writes a file becomes a write of the same text, ending with a line break', () => {
    fc.assert(
      fc.property(path, text, (where, content) => {
        const command = linesOfAction({ kind: 'write', path: where, text: content }).slice('CMD: '.length);
        const whole = content === '' || content === '\n' ? '' : content.replace(/\n?$/, '\n');
        expect(actionOfCommand(command)).toEqual({ kind: 'write', path: where, text: whole });
      }),
    );
  });

  it('any other command becomes a call of run with the same command', () => {
    expect(actionOfCommand("cat > 'a' <<'END'\nb\nEND\nrm c")).toMatchObject({ kind: 'run' });
  });
});
