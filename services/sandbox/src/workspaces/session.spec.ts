import { describe, expect, it } from '@jest/globals';
import { changesMeaning, parseSession, pinned, surroundingsOf, unpinned } from './session.js';

const bytes = (...parts: readonly string[]) => Buffer.from(parts.map((part) => `${part}\0`).join(''));

describe('parseSession', () => {
  it('takes the folder and what a container does not have by itself', () => {
    const env = ['HOME=/workspace', 'LANG=C.UTF-8', 'PATH=/bin'];
    const said = bytes('/workspace/a b\n', 'PATH=/bin', 'HOME=/x', 'B=two\nlines', 'A=$(reboot) "\'', '.');
    expect(parseSession(said, env)).toEqual({
      folder: '/workspace/a b',
      variables: ['A=$(reboot) "\'', 'B=two\nlines', 'HOME=/x'],
    });
  });

  it("leaves out the shell's own variables, functions, and what is no name", () => {
    const own = ['PWD=/', 'OLDPWD=/', 'SHLVL=7', '_=/usr/bin/env', 'BASH_ENV=/x', 'BASH_FUNC_f%%=() { :; }', 'UID=0'];
    expect(parseSession(bytes('/\n', ...own, 'a[$(reboot)]=1', '1x=1', '=1', 'x', '.'), [])?.variables).toEqual([]);
  });

  it('takes nothing that was cut, is too large, or has no folder', () => {
    expect(parseSession(bytes('/\n', 'A=1'), [])).toBeNull();
    expect(parseSession(Buffer.from('/\n\0A=1\0.'), [])).toBeNull();
    expect(parseSession(Buffer.alloc(0), [])).toBeNull();
    expect(parseSession(bytes('relative\n', '.'), [])).toBeNull();
    expect(parseSession(bytes('/\n', `A=${'x'.repeat(65_536)}`, '.'), [])).toBeNull();
    expect(parseSession(bytes('/\n', `A=${'x'.repeat(60_000)}`, '.'), [])?.variables).toHaveLength(1);
  });

  it('leaves out values that are no UTF-8, which would come back changed', () => {
    const said = Buffer.concat([Buffer.from('/\n\0A='), Buffer.from([0xff]), Buffer.from('\0B=1\0.\0')]);
    expect(parseSession(said, [])?.variables).toEqual(['B=1']);
  });
});

describe('what changes the meaning of a command', () => {
  const session = { folder: '/workspace', variables: ['A=1', 'LD_PRELOAD=/x.so', 'PATH=/bin=odd'] };

  it('is where programs are found, what they load, and where they look for orders', () => {
    const names = ['PATH', 'LD_PRELOAD', 'LD_LIBRARY_PATH', 'BASH_ENV', 'ENV', 'GIT_DIR', 'PYTHONPATH', 'NODE_OPTIONS'];
    const more = ['PERL5LIB', 'RUBYOPT', 'IFS', 'SHELLOPTS', 'PS4', 'PROMPT_COMMAND', 'HOME', 'CDPATH'];
    for (const name of [...names, ...more]) expect([name, changesMeaning(`${name}=x`)]).toEqual([name, true]);
    for (const name of ['A', 'MYPATH', 'PATH_TO', 'FOO_LD_PRELOAD', 'LANG'])
      expect([name, changesMeaning(`${name}=x`)]).toEqual([name, false]);
  });

  it('is told by name, and has one digest whatever the order and the rest', () => {
    const { variables, digest } = surroundingsOf(session);
    expect(variables).toEqual([
      { name: 'LD_PRELOAD', value: '/x.so' },
      { name: 'PATH', value: '/bin=odd' },
    ]);
    const other = { ...session, variables: ['PATH=/bin=odd', 'LD_PRELOAD=/x.so', 'B=2'] };
    expect(surroundingsOf(other).digest).toBe(digest);
    expect(surroundingsOf({ ...session, folder: '/workspace/a' }).digest).not.toBe(digest);
    expect(surroundingsOf({ ...session, variables: ['PATH=/bin'] }).digest).not.toBe(digest);
  });

  it('is kept from a pinned command, and given back unless that set it', () => {
    expect(pinned(session)).toEqual({ folder: '/workspace', variables: ['A=1'] });
    expect(unpinned({ folder: '/tmp', variables: ['A=2', 'PATH=/new'] }, session)).toEqual({
      folder: '/tmp',
      variables: ['A=2', 'LD_PRELOAD=/x.so', 'PATH=/new'],
    });
  });
});
