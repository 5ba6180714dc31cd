import type Docker from 'dockerode';

/**
 * The folder with the socket through which a workspace reaches hosts, and with the `ssh` program that uses the socket.
 */
export interface HostMount {
  /** The path of the folder on the engine's machine. */
  readonly hostDir: string;
}

/**
 * The `ssh` of aish replaces OpenSSH's client here: scp and sftp call this exact path, and rsync and git find it there.
 */
const CLIENT = '/usr/bin/ssh';

/**
 * Returns variables for commands with access to hosts. ansible asks for a terminal for `raw` commands, but there is
 * none.
 */
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
