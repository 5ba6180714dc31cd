import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { createLogger, type RunningService } from '@aish/http';
import { Caller, cleanUp, newTestSettings, type TestSettings } from '../testing/sandbox.fixture.js';
import { startSandbox } from './start-sandbox.js';

jest.setTimeout(60_000);

let ground: TestSettings;
let service: RunningService;
let sandbox: Caller;
beforeAll(async () => {
  ground = await newTestSettings({ RUN_TMP_MB: '4' });
  service = await startSandbox(ground.config, createLogger('warn', 'sandbox'), { version: '0', handleSignals: false });
  sandbox = new Caller(service.url, ground.config.SANDBOX_TOKEN);
});
afterAll(async () => {
  await service.app.close();
  await cleanUp(ground);
});

/** Runs commands one after another in their own workspace. */
function shell() {
  const workspaceId = randomUUID();
  return async (command: string, carryOver = true) => {
    const { stdout, stderr, outcome } = await sandbox.run(command, { workspaceId, carryOver });
    return { stdout, stderr, code: outcome.exitCode };
  };
}

describe('the state carried to the next command', () => {
  it('a command starts with the folder and exported variables that the previous command ended with', async () => {
    const run = shell();
    await run('mkdir -p "a b"; cd "a b"; export X="1 \'2\' \\"3\\" $ \\\\" Y=$\'two\\nlines é\'; Z=not-exported');
    expect(await run('printf "%s|" "$PWD" "$X" "$Y" "${Z-unset}"')).toMatchObject({
      stdout: '/workspace/a b|1 \'2\' "3" $ \\|two\nlines é|unset|',
    });
    await run('unset X; cd ..');
    expect((await run('echo "$PWD ${X-unset}"')).stdout).toBe('/workspace unset\n');
  });

  it('the shell state is carried over after any exit code, and the exit code is kept', async () => {
    const run = shell();
    expect((await run('mkdir a; cd a; export X=1; exit 3')).code).toBe(3);
    expect((await run('echo "$PWD $X"; export X=2; false')).code).toBe(1);
    expect((await run('set -eu; echo "$X"; export X=3; false; echo never')).code).toBe(1);
    expect((await run('set -u; echo "$X"; export X=4; echo "$NOT_SET"')).code).toBe(127);
    expect((await run('echo "$X"; no-such-program')).code).toBe(127);
    expect(await run('echo "$PWD $X"')).toEqual({ stdout: '/workspace/a 4\n', stderr: '', code: 0 });
  });

  it('a command sees no trace of how its state is carried over', async () => {
    const run = shell();
    await run('export X=1');
    const { stdout, stderr } = await run(
      'set -x; echo "$SHLVL $0 ${BASH_ENV-none} $#"; ls -A /workspace; env | grep -i aish',
    );
    expect(stdout).toBe('1 bash none 0\nHOSTNAME=aish\n');
    expect(stderr).not.toContain('trap');
    expect((await run('if')).stderr).toMatch(/^bash: -c: line 2: syntax error/);
  });

  it('after a killed command, the next command begins where the killed one began', async () => {
    const run = shell();
    await run('mkdir a b; cd a; export X=1');
    expect((await run('cd ../b; export X=2; kill -KILL $$')).code).toBe(137);
    expect((await run('echo "$PWD $X"')).stdout).toBe('/workspace/a 1\n');
  });

  it('after a command that replaced its shell with exec, the next command begins where that one began', async () => {
    const run = shell();
    await run('mkdir a b; cd a');
    expect((await run('cd ../b; exec sh -c "exit 4"')).code).toBe(4);
    expect((await run('pwd')).stdout).toBe('/workspace/a\n');
  });

  it("a command's own EXIT trap runs, but no state is carried over from that command", async () => {
    const run = shell();
    expect(await run('mkdir a; cd a; trap "echo mine" EXIT; exit 5')).toEqual({
      stdout: 'mine\n',
      stderr: '',
      code: 5,
    });
    expect((await run('pwd')).stdout).toBe('/workspace\n');
  });

  it('a command begins in /workspace if the carried folder is gone', async () => {
    const run = shell();
    await run('mkdir a; cd a; rmdir ../a');
    expect(await run('pwd')).toEqual({ stdout: '/workspace\n', stderr: '', code: 0 });
    await run('mkdir /tmp/x; cd /tmp/x');
    expect((await run('pwd')).stdout).toBe('/workspace\n');
  });

  it("BASH_ENV is not carried over, but variables with the names of the launcher's own variables are", async () => {
    const run = shell();
    await run(
      'export BASH_ENV=/workspace/evil command=x variable=y folder=z mark=m keep=0 code=9; echo "echo evil" > evil',
    );
    expect(await run('echo "$command $variable $folder $mark $keep $code ${BASH_ENV-none}"')).toEqual({
      stdout: 'x y z m 0 9 none\n',
      stderr: '',
      code: 0,
    });
  });

  it('a run can opt out of carrying over its state', async () => {
    const run = shell();
    await run('mkdir a b; cd a; export X=1');
    expect((await run('echo "$PWD ${X-unset}"; cd b', false)).stdout).toBe('/workspace unset\n');
    expect((await run('echo "$PWD $X"')).stdout).toBe('/workspace/a 1\n');
  });

  it('shell state that is too large is not carried over, and the previous state stays', async () => {
    const run = shell();
    await run('mkdir a; cd a');
    expect((await run('cd ..; export BIG=$(head -c 70000 /dev/zero | tr "\\0" x)')).code).toBe(0);
    expect((await run('pwd')).stdout).toBe('/workspace/a\n');
  });

  it('shell state is carried over even if /tmp is full or the command may not write files', async () => {
    const run = shell();
    await run('mkdir a; cd a');
    expect((await run('cd ..; head -c 8M /dev/zero > /tmp/full 2>/dev/null; exit 6')).code).toBe(6);
    expect((await run('pwd')).stdout).toBe('/workspace\n');
    expect((await run('cd a; ulimit -f 0; exec >&- 2>&-; exit 7')).code).toBe(7);
    expect((await run('pwd')).stdout).toBe('/workspace/a\n');
  });

  it('exported variables are carried over, except those without a value', async () => {
    const run = shell();
    await run('export A=1 EMPTY= NEVER; readonly B=2; export B; IFS=,; set -f; printf() { :; }; export -f printf');
    expect((await run('echo "$A ${EMPTY-unset} ${NEVER-unset} $B"; printf "%s\\n" ok')).stdout).toBe(
      '1  unset 2\nok\n',
    );
  });

  it('shell state is not carried over to another workspace', async () => {
    await shell()('export X=1; mkdir a; cd a');
    expect((await shell()('echo "$PWD ${X-unset}"')).stdout).toBe('/workspace unset\n');
  });

  it('background processes of a command end with the command', async () => {
    const run = shell();
    await run('(trap "" TERM HUP; sleep 0.3; touch late) & disown; echo done');
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect((await run('ls')).stdout).toBe('');
  });
});
