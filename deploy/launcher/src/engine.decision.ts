/** What is known about Docker on this machine. */
export interface EngineFacts {
  readonly answers: boolean;
  /** Whether deploy/docker/install-engine.sh can install here: root, on Debian or Ubuntu. */
  readonly canInstall: boolean;
}

export interface EnginePolicy {
  /** `--yes`: install without asking. */
  readonly yes: boolean;
  /** `--no-install`: never install; stronger than `yes`. */
  readonly noInstall: boolean;
  /** Somebody is there to be asked. */
  readonly interactive: boolean;
}

export type EngineStep =
  | { readonly kind: 'ready' }
  | { readonly kind: 'install' }
  /** Ask, and install after a yes. */
  | { readonly kind: 'ask' }
  /** Print what a person would have to type. */
  | { readonly kind: 'tell' };

/** At a terminal the person decides; elsewhere, or with `--yes`, it is said and done; with `--no-install` never. */
export function decideEngine(facts: EngineFacts, policy: EnginePolicy): EngineStep {
  if (facts.answers) return { kind: 'ready' };
  if (policy.noInstall || !facts.canInstall) return { kind: 'tell' };
  return { kind: policy.interactive && !policy.yes ? 'ask' : 'install' };
}

/** Whether install-engine.sh knows this system, from the text of /etc/os-release. */
export function isInstallableSystem(osRelease: string): boolean {
  const value = (name: string): string =>
    new RegExp(`^${name}="?([^"\\n]*)"?$`, 'm').exec(osRelease)?.[1]?.toLowerCase() ?? '';
  if (value('ID') === 'debian') return !['bullseye', 'buster'].includes(value('VERSION_CODENAME'));
  return value('ID') === 'ubuntu' || value('ID_LIKE').split(' ').includes('ubuntu');
}

/** The socket file behind a Docker endpoint such as `unix:///var/run/docker.sock`; null for any other kind. */
export function socketOf(endpoint: string): string | null {
  return /^unix:\/\/(\/.+)$/.exec(endpoint.trim())?.[1] ?? null;
}
