import { once } from 'node:events';
import Docker from 'dockerode';
import { eventually } from './eventually.js';

/**
 * Ends the `sleep` of a session's command, so that the command continues at once. This way a test lets it sleep only as
 * long as the test needs a running command. Bash does not report a SIGPIPE, so outputs stay the same.
 */
export async function wakeCommand(sessionId: string): Promise<void> {
  await eventually('a sleeping command is woken', () => someContainer(sessionId, wake));
}

/** Returns whether the command of a session is in its `sleep`, so that it has begun and has not ended. */
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
  // The engine may know the exit code only after the output has ended.
  const code = await eventually('pkill has ended', async () => {
    const { Running, ExitCode } = await exec.inspect();
    return Running ? null : { ExitCode };
  });
  return code.ExitCode === 0;
}

/** Ignores errors of a container that is ending, because it has no command left. */
function unlessEnded(error: unknown): false {
  if ((error as { statusCode?: number }).statusCode !== undefined) return false;
  throw error;
}
