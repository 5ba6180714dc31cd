/** An engine on another machine, which `ssh` reaches. */
export interface SshAddress {
  /** The address as configured. */
  readonly url: string;
  /** The arguments for `ssh` that name the machine. */
  readonly destination: readonly string[];
  /** The path of the engine's socket on that machine. */
  readonly socketPath: string;
}

/** Reads `ssh://[user@]host[:port][/path/of/socket]`. Returns null for the path of a socket on this machine. */
export function sshAddress(address: string): SshAddress | null {
  if (!address.startsWith('ssh://')) return null;
  const { username, hostname, port, pathname } = new URL(address);
  const user = username === '' ? [] : ['-l', decodeURIComponent(username)];
  const at = port === '' ? [] : ['-p', port];
  const socketPath = pathname === '' || pathname === '/' ? '/var/run/docker.sock' : pathname;
  // `ssh` accepts an IPv6 address only without its brackets, and `--` stops it from reading a name as an option.
  return { url: address, destination: [...user, ...at, '--', hostname.replace(/^\[(.*)\]$/, '$1')], socketPath };
}
