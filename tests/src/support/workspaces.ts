import Docker from 'dockerode';
import { eventually } from './eventually.js';

/**
 * Removes everything that a stopped sandbox keeps deliberately: runs that its next start would take over, and
 * workspaces.
 */
export async function removeWorkspaces(instance: string): Promise<void> {
  const docker = new Docker();
  const filters = JSON.stringify({ label: [`dev.aish.instance=${instance}`] });
  const containers = await docker.listContainers({ all: true, filters });
  await Promise.allSettled(containers.map(({ Id }) => docker.getContainer(Id).remove({ force: true, v: true })));
  // A volume counts as used for a moment after its last container has disappeared.
  await eventually('the workspaces are gone', async () => {
    const { Volumes } = await docker.listVolumes({ filters });
    await Promise.allSettled(Volumes.map(({ Name }) => docker.getVolume(Name).remove({ force: true })));
    return Volumes.length === 0;
  });
}
