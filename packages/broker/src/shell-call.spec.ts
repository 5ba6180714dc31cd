import { describe, expect, it } from '@jest/globals';
import { shellCommandOf } from './shell-call.js';

describe('a call of a shell', () => {
  it.each([
    ['bash', '{"command":"ls -la"}'],
    ['run', '{"cmd":"ls -la"}'],
    ['functions.shell', '{"cmd":["bash","-lc","ls -la"],"timeout":9}'],
    ['execute_command', '{"command":" ls -la ","cwd":"/workspace"}'],
    ['sh', '"{\\"script\\":\\"ls -la\\"}"'],
  ])('%s with %s is a command', (name, args) => {
    expect(shellCommandOf({ name, arguments: args })).toBe('ls -la');
  });

  it.each([
    ['another tool', 'fs__read', '{"command":"ls"}'],
    ['arguments that are cut', 'bash', '{"command":"rm -rf /wor'],
    ['another folder', 'bash', '{"command":"ls","cwd":"/etc"}'],
    ['two commands', 'bash', '{"command":"ls","input":"y"}'],
    ['nothing', 'bash', '{"command":" "}'],
    ['a list of words', 'bash', '{"command":["rm","a b"]}'],
  ])('is none with %s', (_, name, args) => {
    expect(shellCommandOf({ name, arguments: args })).toBeNull();
  });
});
