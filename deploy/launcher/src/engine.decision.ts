/** The known facts about Docker on this machine. */
export interface EngineFacts {
  readonly answers: boolean;
  /** Whether deploy/docker/install-engine.sh can install an engine here: as root, on Debian or Ubuntu. */
  readonly canInstall: boolean;
}

export interface EnginePolicy {
  /** Set by `--yes`, which installs without asking. */
  readonly yes: boolean;
  /** Set by `--no-install`, which never installs and overrides `yes`. */
  readonly noInstall: boolean;
  /** Whether a person can be asked. */
  readonly interactive: boolean;
}

export type EngineStep =
  | { readonly kind: 'ready' }
  | { readonly kind: 'install' }
  /** Asks, and installs if the person agrees. */
  | { readonly kind: 'ask' }
  /** Prints the commands to type. */
  | { readonly kind: 'tell' };

/**
 * Decides the next step. At a terminal the person decides. Without one, or with `--yes`, the launcher announces the
 * step and does it. With `--no-install` it never installs.
 */
export function decideEngine(facts: EngineFacts, policy: EnginePolicy): EngineStep {
  if (facts.answers) return { kind: 'ready' };
  if (policy.noInstall || !facts.canInstall) return { kind: 'tell' };
  return { kind: policy.interactive && !policy.yes ? 'ask' : 'install' };
}

/** Returns whether install-engine.sh supports this system, from the text of /etc/os-release. */
export function isInstallableSystem(osRelease: string): boolean {
  const value = (name: string): string =>
    new RegExp(`^${name}="?([^"\\n]*)"?$`, 'm').exec(osRelease)?.[1]?.toLowerCase() ?? '';
  if (value('ID') === 'debian') return !['bullseye', 'buster'].includes(value('VERSION_CODENAME'));
  return value('ID') === 'ubuntu' || value('ID_LIKE').split(' ').includes('ubuntu');
}

/**
 * Returns the setting DOCKER_SOCKET for a Docker endpoint: the path of `unix:///var/run/docker.sock`, or `ssh://me@nas`
 * as it is. Returns null for any other kind.
 */
export function socketOf(endpoint: string): string | null {
  return /^(?:unix:\/\/(?=\/))?(\/.+|ssh:\/\/.+)$/.exec(endpoint.trim())?.[1] ?? null;
}
