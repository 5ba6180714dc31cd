import type { SandboxConfig } from '@aish/contracts/config/sandbox.config';
import type { RunLimits } from '@aish/contracts/images';
import type Docker from 'dockerode';
import type { HeldFolder } from '../host-folders/host-folders.js';
import { hostEnv, hostMounts as otherHosts, type HostMount } from '../hosts/host.mount.js';
import type { NetworkMount } from '../network/network.gate.js';
import { networkSettings } from '../network/network.mount.js';
import { LAUNCH } from './launcher.js';

/** An image of a space, and what its commands may take. */
export interface WorkplaceImage {
  /** Its digest; null: the sandbox's own. */
  readonly id: string | null;
  /** The variables that it gives to every container. */
  readonly env: readonly string[] | null;
  readonly limits: RunLimits;
}

/** The parts of a container that do not depend on its command. */
export interface NewWorkplace {
  readonly workspaceId: string;
  /** Whether it may write files; reading and deleting them is always possible. */
  readonly mayWrite?: boolean;
  /** Where its commands reach out; nowhere unless given. */
  readonly network?: NetworkMount | null;
  /** Where its `ssh` asks; nowhere unless given. */
  readonly hosts?: HostMount | null;
  /** Folders of the host, checked; none unless given. */
  readonly hostMounts?: readonly Docker.MountSettings[];
  /** Those of them that are held: each run gets layers of its own over them. */
  readonly heldFolders?: readonly HeldFolder[];
  /** Whether no person waits for its commands. */
  readonly background?: boolean;
  /** Without it the sandbox's own image and limits. */
  readonly image?: WorkplaceImage | null;
}

export interface NewContainer extends NewWorkplace {
  readonly runId: string;
  /** Of its launcher's marks. */
  readonly token: string;
  /** When the run is killed if it still runs. The container keeps it for a service that takes the run over. */
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
/** Against the engine's own 1024: what a command of a goal gets when somebody else wants the processor, too. */
const BACKGROUND_CPU_SHARES = 128;

/** The name is what makes the engine itself refuse a second container for one run. */
export function containerName(instance: string, runId: string): string {
  return `aish-run-${instance}-${runId}`;
}

/** A container that waits for its command; it is renamed when it gets one, which its labels cannot be. */
export function warmName(instance: string, id: string): string {
  return `aish-warm-${instance}-${id}`;
}

export function volumeName(instance: string, workspaceId: string): string {
  return `aish-ws-${instance}-${workspaceId}`;
}

/** The container of a run. It is handed its command when it runs, as every container of a command. */
export function containerSpec(run: NewContainer, config: SandboxConfig): Docker.ContainerCreateOptions {
  const spec = launcherSpec(run, run.runId, run.token, config);
  return {
    ...spec,
    name: containerName(config.SANDBOX_INSTANCE, run.runId),
    Labels: { ...spec.Labels, [LABELS.run]: run.runId, [LABELS.deadline]: run.deadline.toISOString() },
  };
}

/** A container that waits for a command and does not know whose. */
export function warmSpec(
  workplace: NewWorkplace & { readonly id: string; readonly token: string },
  config: SandboxConfig,
): Docker.ContainerCreateOptions {
  return {
    ...launcherSpec(workplace, workplace.id, workplace.token, config),
    name: warmName(config.SANDBOX_INSTANCE, workplace.id),
  };
}

/** Its launcher reads its command from stdin. If the holder of stdin goes away before that, the container ends. */
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
    // The launcher is the first process: no command can kill it, and bash reaps what is left to it.
    HostConfig: { ...spec.HostConfig, Init: false },
  };
}

/** Everything that a command may and may not do, as the engine wants it said. */
export function workplaceSpec(workplace: NewWorkplace, config: SandboxConfig): Docker.ContainerCreateOptions {
  const { workspaceId, mayWrite = true, network = null, hosts = null, hostMounts = [], background = false } = workplace;
  const { memoryMb, cpus, pids, tmpMb, gpus } = limitsOf(workplace, config);
  const way = networkSettings(network);
  const labels = { [LABELS.instance]: config.SANDBOX_INSTANCE, [LABELS.workspace]: workspaceId };
  // No way round it inside: a hard limit that only root may raise. At 0, files can still be read, moved and deleted.
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
      // The engine's own seccomp profile applies as long as none is named here.
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
      // Process 1 of a container ignores signals it has no handler for, and does not reap: an init does both.
      Init: true,
      AutoRemove: false,
      RestartPolicy: { Name: 'no' },
      // Outlives this service, so that a run can be taken over; bounded, because a command may print for ever.
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
