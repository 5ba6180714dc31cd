/** The parts of the engine's answer to `/info` that this service reads. Podman answers the same request. */
export interface EngineFacts {
  readonly ServerVersion: string;
  readonly DefaultRuntime: string;
  readonly Runtimes?: Readonly<Record<string, unknown>>;
  readonly DockerRootDir: string;
  readonly MemoryLimit?: boolean;
  readonly CpuCfsQuota?: boolean;
  readonly PidsLimit?: boolean;
  readonly SecurityOptions?: readonly string[] | null;
  /** Only Podman has this field and the next. */
  readonly BuildahVersion?: string;
  readonly Rootless?: boolean;
}

/** Whether the engine enforces each limit of a container. Docker accepts and ignores a limit that it cannot enforce. */
export interface EngineLimits {
  readonly memory: boolean;
  readonly cpus: boolean;
  readonly processes: boolean;
}

export function engineKind({ BuildahVersion }: EngineFacts): 'docker' | 'podman' {
  return BuildahVersion === undefined ? 'docker' : 'podman';
}

export function isRootless({ Rootless, SecurityOptions }: EngineFacts): boolean {
  return Rootless === true || (SecurityOptions ?? []).includes('name=rootless');
}

export function limitsOf({ MemoryLimit, CpuCfsQuota, PidsLimit }: EngineFacts): EngineLimits {
  return { memory: MemoryLimit === true, cpus: CpuCfsQuota === true, processes: PidsLimit === true };
}
