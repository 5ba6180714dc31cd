import type Docker from 'dockerode';

/** The folder with the socket of a workspace's way to other hosts, and with the `ssh` that speaks to it. */
export interface HostMount {
  /** As the engine sees it. */
  readonly hostDir: string;
}

/** What takes the place of OpenSSH's client: scp and sftp call it by this very path, rsync and git find it there. */
const CLIENT = '/usr/bin/ssh';

/** ansible asks for a terminal for what it runs as it stands (`raw`), and there is none. */
export function hostEnv(mount: HostMount | null): readonly string[] {
  return mount === null ? [] : ['ANSIBLE_SSH_USETTY=False'];
}

export function hostMounts(mount: HostMount | null): Docker.MountSettings[] {
  if (mount === null) return [];
  return [
    { Type: 'bind', Source: mount.hostDir, Target: '/run/aish-hosts', ReadOnly: true },
    { Type: 'bind', Source: `${mount.hostDir}/ssh`, Target: CLIENT, ReadOnly: true },
  ];
}
