import Docker from 'dockerode';

/** Removes the workspaces of one sandbox instance: they outlive their sessions' services on purpose. */
export async function removeVolumes(instance: string): Promise<void> {
  const docker = new Docker();
  const filters = { label: [`dev.aish.instance=${instance}`] };
  const { Volumes } = await docker.listVolumes({ filters: JSON.stringify(filters) });
  await Promise.all(Volumes.map(({ Name }) => docker.getVolume(Name).remove({ force: true })));
}
