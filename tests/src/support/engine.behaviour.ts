import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import type { RunOutcome } from '@aish/contracts/actions';
import type { EngineCapabilityName, EngineReport } from '@aish/contracts/engine';
import type { RunRequestInput } from '@aish/contracts/runs';
import { HttpSandbox, HttpWorkspaces } from '@aish/sandbox-client';
import { verifies } from '../requirements.js';
import { eventually } from './eventually.js';

/** The settings that the sandbox services of this suite need. */
export const BEHAVIOUR_ENV = { RUN_MEMORY_MB: '128', RUN_PIDS: '64', RUN_CPUS: '0.5' };
/** The name of the host folder that they offer. It contains a file `note` with the text `hello`. */
export const FOLDER = 'media';

/** A sandbox service on an engine. */
export interface EngineUnderTest {
  readonly url: string;
  readonly token: string;
  /** The address of the test's machine, as the service sees it. Commands reach loopback addresses without the proxy. */
  readonly testHost: string;
  /** The known gaps of this engine. Leave it out if they depend on the machine. */
  readonly lacks?: readonly EngineCapabilityName[];
  /** Kills the service with SIGKILL and starts it again, at the same address. */
  restart(): Promise<void>;
}

const TIMEOUT_MS = 120_000;
jest.setTimeout(TIMEOUT_MS);
const FORK = `python3 -c '
import os, time
n = 0
try:
    while n < 100:
        if os.fork() == 0: time.sleep(1); os._exit(0)
        n += 1
except OSError: pass
print(n)'`;
const BUSY = `python3 -c '
import time
end = time.time() + 1
while time.time() < end: pass
print(time.process_time())'`;

/**
 * Defines the tests that every engine must pass. A reported capability must work. For a missing one, the command must
 * fail with an error that says so.
 */
export function behavesLikeAnEngine(name: string, engine: () => EngineUnderTest): void {
  describe(`the sandbox on ${name}`, () => {
    let report: EngineReport;
    let server: Server;

    const signal = () => AbortSignal.timeout(TIMEOUT_MS);
    const sandbox = () => new HttpSandbox(engine().url, engine().token);
    const workspaces = () => new HttpWorkspaces(engine().url, engine().token);
    const has = (capability: EngineCapabilityName) =>
      report.capabilities.find((each) => each.name === capability)?.state === 'yes';

    async function run(command: string, more: Partial<RunRequestInput> = {}): Promise<RunOutcome> {
      const request = { runId: randomUUID(), workspaceId: randomUUID(), timeoutMs: 60_000, ...more, command };
      for await (const frame of sandbox().run(request, signal())) if (frame.type === 'exit') return frame.outcome;
      throw new Error('the run has no end');
    }

    beforeAll(async () => {
      server = createServer((_, response) => response.end('reached')).listen(0);
      await once(server, 'listening');
      report = await eventually('the engine is tested', async () => {
        const { engine: found } = await sandbox().describe(signal());
        return found?.capabilities.every(({ state }) => state !== 'untested') === true && found;
      });
      const row = report.capabilities.map((each) => `${each.name} ${each.state}`).join(', ');
      process.stdout.write(`${name} | ${report.kind} ${report.version}, ${report.runtime} | ${row}\n`);
    });

    afterAll(() => {
      server?.close();
    });

    it(verifies('engines.behave', `${name} reports what it lacks, with the reason`), () => {
      const lacking = report.capabilities.filter(({ state }) => state === 'no');
      for (const { detail } of lacking) expect(detail).toMatch(/\w{3,}/);
      const { lacks } = engine();
      if (lacks !== undefined) expect(lacking.map((each) => each.name)).toEqual(lacks);
    });

    it('a command returns its output and exit code, and its files stay in the workspace', async () => {
      const workspaceId = randomUUID();
      expect(await run('echo out; echo x > kept; exit 3', { workspaceId })).toMatchObject({
        exitCode: 3,
        output: 'out\n',
      });
      expect(await run('cat kept', { workspaceId })).toMatchObject({ exitCode: 0, output: 'x\n' });
    });

    it('with layers, changes are held until they are accepted; without layers, such a command is refused', async () => {
      const workspaceId = randomUUID();
      const [origin, runId] = [randomUUID(), randomUUID()];
      await run('echo precious > old', { workspaceId });
      const removal = run('rm old', { workspaceId, runId, hold: { origin, mode: 'must' } });
      if (!has('layers')) return expect(removal).rejects.toMatchObject({ code: 'hold_unavailable' });
      expect((await removal).held).toBeDefined();
      await sandbox().settle(workspaceId, runId, 'drop', signal());
      expect((await run('cat old', { workspaceId })).output).toBe('precious\n');
    });

    it('undo restores what a command destroyed', async () => {
      const [workspaceId, runId] = [randomUUID(), randomUUID()];
      await run('echo precious > old', { workspaceId });
      const snapshot = workspaces().snapshot(workspaceId, runId, signal());
      if (!has('undo')) return expect(snapshot).rejects.toMatchObject({ code: 'snapshot_too_large' });
      await snapshot;
      await run('rm old; echo > new', { workspaceId, runId });
      await workspaces().restore(workspaceId, runId, { only: false }, signal());
      expect((await run('cat *', { workspaceId })).output).toBe('precious\n');
    });

    it('the limits that the engine reports are enforced', async () => {
      // `tail` keeps a line until its end, and this one has none.
      const { output } = await run("sh -c 'head -c 300M /dev/zero | tail >/dev/null' 2>/dev/null; echo $?");
      expect(output).toBe(has('memory') ? '137\n' : '0\n');
      const forks = Number((await run(FORK)).output);
      if (has('processes')) expect(forks).toBeLessThan(64);
      else expect(forks).toBe(100);
      // On a busy machine, a command also gets less than it may use.
      if (has('cpus')) expect(Number((await run(BUSY)).output)).toBeLessThan(0.8);
    });

    it('a command has no network, and with access only the allowed one; otherwise it is refused', async () => {
      const workspaceId = randomUUID();
      const { testHost } = engine();
      const { port } = server.address() as AddressInfo;
      const [open, closed] = [`http://${testHost}:${port}/`, `http://${testHost}:1/`];
      const get = (url: string) => run(`curl -s -m 10 -w ' %{http_code}' ${url}`, { workspaceId });
      expect((await get(open)).exitCode).not.toBe(0);
      const rule = { host: testHost, ports: [port], private: true };
      await sandbox().setNetworkPolicy(workspaceId, { mode: 'allow', rules: [rule] }, signal());
      const allowed = get(open);
      if (!has('network')) return expect(allowed).rejects.toMatchObject({ code: 'engine_lacks' });
      expect((await allowed).output).toBe('reached 200');
      expect((await get(closed)).output).toMatch(/ 403$/);
    });

    it('a command sees the host folder that it asks for, or is refused', async () => {
      const reads = run(`cat /mnt/${FOLDER}/note`, { hostFolders: [FOLDER] });
      if (!has('folders')) return expect(reads).rejects.toMatchObject({ code: 'engine_lacks' });
      expect((await reads).output).toBe('hello\n');
    });

    it('a command survives a kill of the sandbox service, and its result is known afterwards', async () => {
      const ids = { runId: randomUUID(), workspaceId: randomUUID() };
      const command = 'echo begun; sleep 2; exit 5';
      for await (const { type } of sandbox().run({ ...ids, command }, signal())) if (type === 'output') break;
      await engine().restart();
      expect(await run(command, ids)).toMatchObject({ exitCode: 5 });
    });
  });
}
