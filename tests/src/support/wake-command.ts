import { once } from 'node:events';
import Docker from 'dockerode';
import { eventually } from './eventually.js';

/**
 * Ends the `sleep` of a session's command, so that the command continues at once. This way a test lets it sleep only as
 * long as the test needs a running command. Bash does not report a SIGPIPE, so outputs stay the same.
 */
export async function wakeCommand(sessionId: string): Promise<void> {
  const asleep = await eventually('a command sleeps', async () => {
    const found = await sleepsOf(sessionId);
    return found.length > 0 && found;
  });
  // The list of processes tells whether it has worked: a container that ends at once takes pkill's exit code with it.
  await eventually('the sleeping command is woken', async () => {
    await Promise.all(asleep.map(({ container }) => wake(container).catch(ignoreEnded)));
    const left = new Set((await sleepsOf(sessionId)).map(({ pid }) => pid));
    return !asleep.some(({ pid }) => left.has(pid));
  });
}

/** Returns whether the command of a session is in its `sleep`, so that it has begun and has not ended. */
export async function commandSleeps(sessionId: string): Promise<boolean> {
  return (await sleepsOf(sessionId)).length > 0;
}

interface Sleep {
  readonly container: Docker.Container;
  readonly pid: string;
}

async function sleepsOf(sessionId: string): Promise<readonly Sleep[]> {
  const docker = new Docker();
  const filters = JSON.stringify({ label: [`dev.aish.workspace=${sessionId}`], name: ['aish-run-'] });
  const containers = await docker.listContainers({ filters });
  const found = await Promise.all(
    containers.map(async ({ Id }) => {
      const container = docker.getContainer(Id);
      const top = (await container.top().catch(ignoreEnded)) as Processes | undefined;
      const pidAt = top?.Titles.indexOf('PID') ?? -1;
      return (top?.Processes ?? [])
        .filter((columns) => /^sleep\b/.test(columns.at(-1) ?? ''))
        .map((columns) => ({ container, pid: columns[pidAt] ?? '' }));
    }),
  );
  return found.flat();
}

interface Processes {
  readonly Titles: readonly string[];
  readonly Processes: readonly (readonly string[])[];
}

async function wake(container: Docker.Container): Promise<void> {
  const exec = await container.exec({ Cmd: ['pkill', '-PIPE', '-x', 'sleep'], AttachStdout: true });
  const output = await exec.start({});
  output.resume();
  await once(output, 'close');
}

/** A container that is ending has no command left. */
function ignoreEnded(error: unknown): undefined {
  if ((error as { statusCode?: number }).statusCode !== undefined) return undefined;
  throw error;
}
