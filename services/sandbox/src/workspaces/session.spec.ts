import { describe, expect, it } from '@jest/globals';
import { changesMeaning, parseSession, pinned, executionContextOf, unpinned } from './session.js';

const bytes = (...parts: readonly string[]) => Buffer.from(parts.map((part) => `${part}\0`).join(''));

describe('parseSession', () => {
  it('parseSession returns the folder and the variables that a container does not already have', () => {
    const env = ['HOME=/workspace', 'LANG=C.UTF-8', 'PATH=/bin'];
    const dump = bytes('/workspace/a b\n', 'PATH=/bin', 'HOME=/x', 'B=two\nlines', 'A=$(reboot) "\'', '.');
    expect(parseSession(dump, env)).toEqual({
      folder: '/workspace/a b',
      variables: ['A=$(reboot) "\'', 'B=two\nlines', 'HOME=/x'],
    });
  });

  it("parseSession omits the shell's own variables, functions, and invalid names", () => {
    const own = ['PWD=/', 'OLDPWD=/', 'SHLVL=7', '_=/usr/bin/env', 'BASH_ENV=/x', 'BASH_FUNC_f%%=() { :; }', 'UID=0'];
    expect(parseSession(bytes('/\n', ...own, 'a[$(reboot)]=1', '1x=1', '=1', 'x', '.'), [])?.variables).toEqual([]);
  });

  it('parseSession rejects a session that is cut off, too large, or has no folder', () => {
    expect(parseSession(bytes('/\n', 'A=1'), [])).toBeNull();
    expect(parseSession(Buffer.from('/\n\0A=1\0.'), [])).toBeNull();
    expect(parseSession(Buffer.alloc(0), [])).toBeNull();
    expect(parseSession(bytes('relative\n', '.'), [])).toBeNull();
    expect(parseSession(bytes('/\n', `A=${'x'.repeat(65_536)}`, '.'), [])).toBeNull();
    expect(parseSession(bytes('/\n', `A=${'x'.repeat(60_000)}`, '.'), [])?.variables).toHaveLength(1);
  });

  it('parseSession omits values that are not UTF-8, because decoding would change them', () => {
    const dump = Buffer.concat([Buffer.from('/\n\0A='), Buffer.from([0xff]), Buffer.from('\0B=1\0.\0')]);
    expect(parseSession(dump, [])?.variables).toEqual(['B=1']);
  });
});

describe('variables that change the meaning of a command', () => {
  const session = { folder: '/workspace', variables: ['A=1', 'LD_PRELOAD=/x.so', 'PATH=/bin=odd'] };

  it('the execution context includes variables that change which programs run or what they load', () => {
    const names = ['PATH', 'LD_PRELOAD', 'LD_LIBRARY_PATH', 'BASH_ENV', 'ENV', 'GIT_DIR', 'PYTHONPATH', 'NODE_OPTIONS'];
    const more = [
      'PERL5LIB',
      'RUBYOPT',
      'IFS',
      'SHELLOPTS',
      'PS4',
      'PROMPT_COMMAND',
      'GIT_CONFIG_VALUE_0',
      'TAR_OPTIONS',
      'CDPATH',
      'GLOBIGNORE',
      'ZIPOPT',
      'LESSOPEN',
      // These variables load or run something of their own, too.
      'NPM_CONFIG_SCRIPT_SHELL',
      'LUA_INIT_5_4',
      'GCONV_PATH',
      'PHPRC',
      'PHP_INI_SCAN_DIR',
      'DOTNET_STARTUP_HOOKS',
      'OPENSSL_CONF',
      'VIMINIT',
      'EXINIT',
      'ERL_AFLAGS',
      'R_PROFILE_USER',
      'RSYNC_CONNECT_PROG',
    ];
    for (const name of [...names, ...more]) expect([name, changesMeaning(`${name}=x`)]).toEqual([name, true]);
    const other = ['A', 'MYPATH', 'PATH_TO', 'FOO_LD_PRELOAD', 'LANG', 'HOME', 'PAGER', 'EDITOR', 'VISUAL', 'TMPDIR'];
    const harmless = ['XDG_CONFIG_HOME', 'LESS', 'SSH_AUTH_SOCK', 'NODE_ENV', 'GIT_AUTHOR_NAME', 'PYTHONUNBUFFERED'];
    for (const name of [...other, ...harmless]) expect([name, changesMeaning(`${name}=x`)]).toEqual([name, false]);
  });

  it('the execution context includes the variables that a command uses, and changes with their values', () => {
    const at = (variables: readonly string[], names: readonly string[]) =>
      executionContextOf({ folder: '/workspace', variables: [...variables] }, names);
    const [here, there] = [at(['DIR=/a', 'X=1'], ['DIR']), at(['DIR=/b', 'X=1'], ['DIR'])];
    expect(here).toMatchObject({ variables: [], uses: [{ name: 'DIR', value: '/a' }] });
    expect(here.digest).not.toBe(there.digest);
    expect(at(['DIR=/a'], []).digest).toBe(at([], []).digest);
    expect(at(['KUBECONFIG=prod', 'PGHOST=db', 'PGPASSWORD=x'], []).uses).toEqual([
      { name: 'KUBECONFIG', value: 'prod' },
      { name: 'PGHOST', value: 'db' },
      { name: 'PGPASSWORD', value: '(kept secret: 1 characters)' },
    ]);
    expect(at(['A=1', 'B=2'], ['*']).uses).toHaveLength(2);
  });

  it('the execution context lists variables by name, and its digest does not depend on their order', () => {
    const { variables, digest } = executionContextOf(session);
    expect(variables).toEqual([
      { name: 'LD_PRELOAD', value: '/x.so' },
      { name: 'PATH', value: '/bin=odd' },
    ]);
    const other = { ...session, variables: ['PATH=/bin=odd', 'LD_PRELOAD=/x.so', 'B=2'] };
    expect(executionContextOf(other).digest).toBe(digest);
    const elsewhere = executionContextOf({ ...session, folder: '/workspace/a' });
    expect(elsewhere.digest).not.toBe(digest);
    expect(elsewhere.variablesDigest).toBe(executionContextOf(session).variablesDigest);
    const fewer = executionContextOf({ ...session, variables: ['PATH=/bin'] });
    expect(fewer.digest).not.toBe(digest);
    expect(fewer.variablesDigest).not.toBe(elsewhere.variablesDigest);
  });

  it('the execution context does not show a value that holds a credential, but its digest covers the value', () => {
    const withHeader = (value: string) =>
      executionContextOf({
        folder: '/workspace',
        variables: [
          'GIT_CONFIG_KEY_0=http.extraHeader',
          `GIT_CONFIG_VALUE_0=${value}`,
          `GIT_PROXY_URL=https://ann:${value}@proxy.lan/`,
          `NODE_OPTIONS=--header=Authorization:${value}`,
          'GIT_SSH_COMMAND=ssh -i key',
        ],
      });
    const { variables, digest } = withHeader('hunter2hunter2');
    expect(JSON.stringify(variables)).not.toContain('hunter2');
    expect(variables.map(({ name, value }) => [name, value.startsWith('(kept secret: ')])).toEqual([
      ['GIT_CONFIG_KEY_0', false],
      ['GIT_CONFIG_VALUE_0', true],
      ['GIT_PROXY_URL', true],
      ['GIT_SSH_COMMAND', false],
      ['NODE_OPTIONS', true],
    ]);
    expect(withHeader('hunter3hunter3').digest).not.toBe(digest);
    expect(withHeader('hunter3hunter3').variables).toEqual(variables);
  });

  it('a pinned command runs without the variables that change its meaning, and the next command gets them back', () => {
    expect(pinned(session)).toEqual({ folder: '/workspace', variables: ['A=1'] });
    expect(unpinned({ folder: '/tmp', variables: ['A=2', 'PATH=/new'] }, session)).toEqual({
      folder: '/tmp',
      variables: ['A=2', 'LD_PRELOAD=/x.so', 'PATH=/new'],
    });
  });
});
