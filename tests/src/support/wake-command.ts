import { once } from 'node:events';
import Docker from 'dockerode';
import { eventually } from './eventually.js';

/**
 * Ends the `sleep` that the command of a session waits in, so that the command goes on at once: a test sleeps for as long as it needs
 * a running command, and no longer. Bash says nothing of a SIGPIPE, so outputs stay as they are.
 */
export async function wakeCommand(sessionId: string): Promise<void> {
  await eventually('a sleeping command is woken', () => someContainer(sessionId, wake));
}

/** Whether the command of a session is in its `sleep`: it has begun for certain, and has not ended. */
export function commandSleeps(sessionId: string): Promise<boolean> {
  return someContainer(sessionId, async (docker, id) => {
    const { Processes } = (await docker.getContainer(id).top()) as { readonly Processes: readonly string[][] };
    return Processes.some((columns) => /^sleep\b/.test(columns.at(-1) ?? ''));
  });
}

async function someContainer(
  sessionId: string,
  test: (docker: Docker, id: string) => Promise<boolean>,
): Promise<boolean> {
  const docker = new Docker();
  const filters = JSON.stringify({ label: [`dev.aish.workspace=${sessionId}`], name: ['aish-run-'] });
  const containers = await docker.listContainers({ filters });
  const found = await Promise.all(containers.map(({ Id }) => test(docker, Id).catch(unlessEnded)));
  return found.includes(true);
}

async function wake(docker: Docker, id: string): Promise<boolean> {
  const exec = await docker.getContainer(id).exec({ Cmd: ['pkill', '-PIPE', '-x', 'sleep'], AttachStdout: true });
  const output = await exec.start({});
  output.resume();
  await once(output, 'close');
  return (await exec.inspect()).ExitCode === 0;
}

/** A container that ends at this moment has no command left. */
function unlessEnded(error: unknown): false {
  if ((error as { statusCode?: number }).statusCode !== undefined) return false;
  throw error;
}
