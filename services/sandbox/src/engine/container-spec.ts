import type { SandboxConfig } from '@aish/contracts';
import type Docker from 'dockerode';

export interface NewContainer {
  readonly runId: string;
  readonly workspaceId: string;
  readonly command: string;
  /** When it is to be killed if it still runs; kept on the container for whoever takes the run over. */
  readonly deadline: Date;
}

export const LABELS = {
  instance: 'dev.aish.instance',
  run: 'dev.aish.run',
  workspace: 'dev.aish.workspace',
  deadline: 'dev.aish.deadline',
} as const;

const MIB = 2 ** 20;

/** The name is what makes the engine itself refuse a second container for one run. */
export function containerName(instance: string, runId: string): string {
  return `aish-run-${instance}-${runId}`;
}

export function volumeName(instance: string, workspaceId: string): string {
  return `aish-ws-${instance}-${workspaceId}`;
}

/** Everything that a command may and may not do, as the engine wants it said. */
export function containerSpec(run: NewContainer, config: SandboxConfig): Docker.ContainerCreateOptions {
  const labels = { [LABELS.instance]: config.SANDBOX_INSTANCE, [LABELS.workspace]: run.workspaceId };
  return {
    name: containerName(config.SANDBOX_INSTANCE, run.runId),
    Image: config.SANDBOX_IMAGE,
    Cmd: ['bash', '-c', run.command],
    // One empty string drops the image's own entry point, an empty list would keep it.
    Entrypoint: [''],
    User: '1000:1000',
    WorkingDir: '/workspace',
    Hostname: 'aish',
    Env: ['HOME=/workspace', 'LANG=C.UTF-8'],
    Labels: { ...labels, [LABELS.run]: run.runId, [LABELS.deadline]: run.deadline.toISOString() },
    Tty: false,
    OpenStdin: false,
    AttachStdin: false,
    AttachStdout: true,
    AttachStderr: true,
    HostConfig: {
      NetworkMode: 'none',
      ReadonlyRootfs: true,
      Privileged: false,
      CapDrop: ['ALL'],
      // The engine's own seccomp profile applies as long as none is named here.
      SecurityOpt: ['no-new-privileges:true'],
      PidsLimit: config.RUN_PIDS,
      Memory: config.RUN_MEMORY_MB * MIB,
      MemorySwap: config.RUN_MEMORY_MB * MIB,
      NanoCpus: Math.round(config.RUN_CPUS * 1e9),
      Ulimits: [{ Name: 'core', Soft: 0, Hard: 0 }],
      Tmpfs: { '/tmp': `rw,nosuid,nodev,exec,size=${config.RUN_TMP_MB}m` },
      Mounts: [
        {
          Type: 'volume',
          Source: volumeName(config.SANDBOX_INSTANCE, run.workspaceId),
          Target: '/workspace',
          VolumeOptions: { NoCopy: false, Labels: labels, DriverConfig: { Name: 'local', Options: {} } },
        },
      ],
      // Process 1 of a container ignores signals it has no handler for, and does not reap: an init does both.
      Init: true,
      AutoRemove: false,
      RestartPolicy: { Name: 'no' },
      // Outlives this service, so that a run can be taken over; bounded, because a command may print for ever.
      LogConfig: {
        Type: 'json-file',
        Config: { 'max-size': `${Math.ceil((config.RUN_STREAM_MAX_BYTES * 1.5) / MIB)}m`, 'max-file': '2' },
      },
    },
  };
}
