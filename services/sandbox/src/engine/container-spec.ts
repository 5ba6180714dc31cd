import type { SandboxConfig } from '@aish/contracts/config/sandbox.config';
import type { RunLimits } from '@aish/contracts/images';
import type Docker from 'dockerode';
import type { HeldFolder } from '../host-folders/host-folders.js';
import { hostEnv, hostMounts as otherHosts, type HostMount } from '../hosts/host.mount.js';
import type { NetworkMount } from '../network/network.gate.js';
import { networkSettings } from '../network/network.mount.js';
import { LAUNCH } from './launcher.js';

/** An image of a space, with the limits of its commands. */
export interface WorkplaceImage {
  /** The digest of the image; null for the sandbox's own image. */
  readonly id: string | null;
  /** The variables that the image sets in every container. */
  readonly env: readonly string[] | null;
  readonly limits: RunLimits;
}

/** The parts of a container that do not depend on its command. */
export interface NewWorkplace {
  readonly workspaceId: string;
  /** Whether commands may write files. They may always read and delete files. */
  readonly mayWrite?: boolean;
  /** The network access of the commands; none by default. */
  readonly network?: NetworkMount | null;
  /** The socket for the `ssh` of the commands; none by default. */
  readonly hosts?: HostMount | null;
  /** The mounts of checked host folders; none by default. */
  readonly hostMounts?: readonly Docker.MountSettings[];
  /** The host folders whose changes are held. Each run gets its own layers over these folders. */
  readonly heldFolders?: readonly HeldFolder[];
  /** Whether the commands run in the background, so that nobody waits for them. */
  readonly background?: boolean;
  /** The image of the space. Without one, the sandbox's own image and limits apply. */
  readonly image?: WorkplaceImage | null;
}

export interface NewContainer extends NewWorkplace {
  readonly runId: string;
  /** The secret in the marks of the container's launcher. */
  readonly token: string;
  /**
   * The time at which the run is killed if it is still running. A label of the container stores this time, so that a
   * restarted service can enforce it.
   */
  readonly deadline: Date;
}

export const LABELS = {
  instance: 'dev.aish.instance',
  run: 'dev.aish.run',
  workspace: 'dev.aish.workspace',
  deadline: 'dev.aish.deadline',
  token: 'dev.aish.token',
  warm: 'dev.aish.warm',
} as const;

const MIB = 2 ** 20;
/** The engine's default is 1024. Goals get this smaller share while other commands need the processor. */
const BACKGROUND_CPU_SHARES = 128;

/** Because the name contains the run's ID, the engine refuses a second container for the same run. */
export function containerName(instance: string, runId: string): string {
  return `aish-run-${instance}-${runId}`;
}

/**
 * Returns the name of a container that waits for its command. The container is renamed when it gets one, because labels
 * cannot change.
 */
export function warmName(instance: string, id: string): string {
  return `aish-warm-${instance}-${id}`;
}

export function volumeName(instance: string, workspaceId: string): string {
  return `aish-ws-${instance}-${workspaceId}`;
}

/**
 * Describes the container of a run. Like every container for commands, it receives its command after it has started.
 */
export function containerSpec(run: NewContainer, config: SandboxConfig): Docker.ContainerCreateOptions {
  const spec = launcherSpec(run, run.runId, run.token, config);
  return {
    ...spec,
    name: containerName(config.SANDBOX_INSTANCE, run.runId),
    Labels: { ...spec.Labels, [LABELS.run]: run.runId, [LABELS.deadline]: run.deadline.toISOString() },
  };
}

/** Describes a container that waits for a command of any run. */
export function warmSpec(
  workplace: NewWorkplace & { readonly id: string; readonly token: string },
  config: SandboxConfig,
): Docker.ContainerCreateOptions {
  return {
    ...launcherSpec(workplace, workplace.id, workplace.token, config),
    name: warmName(config.SANDBOX_INSTANCE, workplace.id),
  };
}

/** The launcher reads its command from stdin. If the service closes stdin before that, the container ends. */
function launcherSpec(
  workplace: NewWorkplace,
  id: string,
  token: string,
  config: SandboxConfig,
): Docker.ContainerCreateOptions {
  const spec = workplaceSpec(workplace, config);
  return {
    ...spec,
    Cmd: [...LAUNCH],
    Labels: { ...spec.Labels, [LABELS.warm]: id, [LABELS.token]: token },
    OpenStdin: true,
    StdinOnce: true,
    AttachStdin: true,
    // The launcher is the first process: no command can kill it, and bash reaps orphaned processes.
    HostConfig: { ...spec.HostConfig, Init: false },
  };
}

/** Describes what a command may do, in the settings of the engine. */
export function workplaceSpec(workplace: NewWorkplace, config: SandboxConfig): Docker.ContainerCreateOptions {
  const { workspaceId, mayWrite = true, network = null, hosts = null, hostMounts = [], background = false } = workplace;
  const { memoryMb, cpus, pids, tmpMb, gpus } = limitsOf(workplace, config);
  const way = networkSettings(network);
  const labels = { [LABELS.instance]: config.SANDBOX_INSTANCE, [LABELS.workspace]: workspaceId };
  // This is a hard limit that only root could raise. At 0, commands can still read, move and delete files.
  const fileMaxBytes = mayWrite ? Math.min(config.RUN_FILE_MAX_MB, config.RUN_WORKSPACE_MAX_MB) * MIB : 0;
  return {
    Image: workplace.image?.id ?? config.SANDBOX_IMAGE,
    Entrypoint: way.entrypoint,
    User: '1000:1000',
    WorkingDir: '/workspace',
    Hostname: 'aish',
    Env: ['HOME=/workspace', 'LANG=C.UTF-8', ...way.env, ...hostEnv(hosts)],
    Labels: labels,
    Tty: false,
    OpenStdin: false,
    AttachStdin: false,
    AttachStdout: true,
    AttachStderr: true,
    HostConfig: {
      ...(config.SANDBOX_RUNTIME === undefined ? {} : { Runtime: config.SANDBOX_RUNTIME }),
      NetworkMode: 'none',
      ReadonlyRootfs: true,
      Privileged: false,
      CapDrop: ['ALL'],
      // The engine's default seccomp profile applies, because none is named here.
      SecurityOpt: ['no-new-privileges:true'],
      PidsLimit: pids,
      Memory: memoryMb * MIB,
      MemorySwap: memoryMb * MIB,
      NanoCpus: Math.round(cpus * 1e9),
      ...(gpus ? { DeviceRequests: [{ Driver: '', Count: -1, Capabilities: [['gpu']] }] } : {}),
      ...(background ? { CpuShares: BACKGROUND_CPU_SHARES } : {}),
      Ulimits: [
        { Name: 'core', Soft: 0, Hard: 0 },
        { Name: 'nofile', Soft: config.RUN_OPEN_FILES, Hard: config.RUN_OPEN_FILES },
        { Name: 'fsize', Soft: fileMaxBytes, Hard: fileMaxBytes },
      ],
      Tmpfs: { '/tmp': `rw,nosuid,nodev,exec,size=${tmpMb}m` },
      Mounts: [
        {
          Type: 'volume',
          Source: volumeName(config.SANDBOX_INSTANCE, workspaceId),
          Target: '/workspace',
          VolumeOptions: { NoCopy: false, Labels: labels, DriverConfig: { Name: 'local', Options: {} } },
        },
        ...way.mounts,
        ...otherHosts(hosts),
        ...hostMounts,
      ],
      // Process 1 ignores signals that it has no handler for and does not reap children. An init process does both.
      Init: true,
      AutoRemove: false,
      RestartPolicy: { Name: 'no' },
      // The log outlives this service, so that a run can be taken over. It is bounded, because a command may print
      // forever.
      LogConfig: {
        Type: 'json-file',
        Config: {
          'max-size': `${Math.ceil((Math.max(config.RUN_STREAM_MAX_BYTES, config.RUN_OUTPUT_WHOLE_MAX_MB * MIB) * 1.5) / MIB)}m`,
          'max-file': '2',
        },
      },
    },
  };
}

function limitsOf({ image }: NewWorkplace, config: SandboxConfig) {
  const { memoryMb, cpus, pids, tmpMb, gpus } = image?.limits ?? {};
  return {
    memoryMb: memoryMb ?? config.RUN_MEMORY_MB,
    cpus: cpus ?? config.RUN_CPUS,
    pids: pids ?? config.RUN_PIDS,
    tmpMb: tmpMb ?? config.RUN_TMP_MB,
    gpus: gpus === true,
  };
}
