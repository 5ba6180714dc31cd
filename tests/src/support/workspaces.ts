import Docker from 'dockerode';

/**
 * Removes what a stopped sandbox leaves on purpose: runs that a next start would take over, and workspaces, which
 * outlive the services.
 */
export async function removeWorkspaces(instance: string): Promise<void> {
  const docker = new Docker();
  const filters = JSON.stringify({ label: [`dev.aish.instance=${instance}`] });
  const containers = await docker.listContainers({ all: true, filters });
  await Promise.all(containers.map(({ Id }) => docker.getContainer(Id).remove({ force: true, v: true })));
  const { Volumes } = await docker.listVolumes({ filters });
  await Promise.all(Volumes.map(({ Name }) => docker.getVolume(Name).remove({ force: true })));
}
