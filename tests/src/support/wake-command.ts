import { once } from 'node:events';
import Docker from 'dockerode';
import { eventually } from './eventually.js';

/**
 * Ends the `sleep` that the command of a session waits in, so that the command goes on at once: a test sleeps for as long as it needs
 * a running command, and no longer. Bash says nothing of a SIGPIPE, so outputs stay as they are.
 */
export async function wakeCommand(sessionId: string): Promise<void> {
  const docker = new Docker();
  const filters = JSON.stringify({ label: [`dev.aish.workspace=${sessionId}`], name: ['aish-run-'] });
  await eventually('a sleeping command is woken', async () => {
    const containers = await docker.listContainers({ filters });
    const woken = await Promise.all(containers.map(({ Id }) => wake(docker, Id)));
    return woken.includes(true);
  });
}

async function wake(docker: Docker, id: string): Promise<boolean> {
  try {
    const exec = await docker.getContainer(id).exec({ Cmd: ['pkill', '-PIPE', '-x', 'sleep'], AttachStdout: true });
    const output = await exec.start({});
    output.resume();
    await once(output, 'close');
    return (await exec.inspect()).ExitCode === 0;
  } catch (error) {
    // A container that ends at this moment has nobody left to wake.
    if ((error as { statusCode?: number }).statusCode !== undefined) return false;
    throw error;
  }
}
