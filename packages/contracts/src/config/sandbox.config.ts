import * as z from 'zod';
import { HostFolderAllowlist } from '../host-folders.js';
import { logLevel, milliseconds, port } from './setting-types.js';
import { SandboxAccess, Telemetry } from './shared.settings.js';

/** A password in the address would appear in messages; ssh signs in with a key. */
const ENGINE = /^(?:ssh:\/\/(?:[^\s:@/]+@)?(?:\[[\da-fA-F:]+\]|[^\s:@/]+)(?::\d{1,5})?(?:\/\S*)?|(?!\w+:\/\/).+)$/;

export const SandboxConfig = z.object({
  HOST: z.string().default('127.0.0.1').describe('Address to listen on'),
  PORT: port.default(7719).describe('Port to listen on; 0 takes a free one'),
  SANDBOX_TOKEN: SandboxAccess.shape.SANDBOX_TOKEN,
  SANDBOX_IMAGE: z.string().min(1).default('aish-sandbox:latest').describe('Image that commands run in'),
  SANDBOX_STATE_DIR: z.string().min(1).describe('Folder for the results of finished commands'),
  SANDBOX_INSTANCE: z
    .string()
    .regex(/^[a-z0-9][a-z0-9_.-]{0,62}$/)
    .default('default')
    .describe('Name of this service, used as a label of its containers and volumes'),
  SANDBOX_HOST_FOLDERS: HostFolderAllowlist.describe(
    'Host folders that commands may use: JSON array of {name, hostPath, containerPath, mode}, mode `read-only`, `held` or `direct`',
  ),
  SANDBOX_NETWORK_DIR: z
    .string()
    .regex(/^\//, 'must be an absolute path')
    .optional()
    .describe('Folder for the sockets of the proxies; unset: a folder in SANDBOX_STATE_DIR'),
  SANDBOX_NETWORK_VOLUME: z
    .string()
    .min(1)
    .optional()
    .describe(
      'When this service itself runs in a container: the Docker volume mounted at SANDBOX_NETWORK_DIR, or `container:ID`',
    ),
  DOCKER_SOCKET: z
    .string()
    .regex(ENGINE, 'must be the path of a socket, or ssh://[user@]host[:port][/path/of/socket]')
    .default('/var/run/docker.sock')
    .describe('Socket of Docker or Podman, or `ssh://user@host` for an engine on another machine'),
  SANDBOX_RUNTIME: z
    .string()
    .regex(/^[A-Za-z0-9][A-Za-z0-9_.-]*$/)
    .optional()
    .describe('Container runtime for commands, such as runsc or crun; unset: the engine’s default'),
  SANDBOX_GPUS: z
    .enum(['on', 'off'])
    .default('off')
    .describe('Whether spaces may give the GPUs of this host to their commands; the engine needs the vendor’s toolkit'),
  SANDBOX_LAYERS: z
    .enum(['on', 'off'])
    .default('on')
    .describe('Whether workspaces are stacks of layers, one for each command, where the engine can mount them'),
  UNDO_COMMANDS: z.coerce
    .number()
    .int()
    .min(0)
    .default(50)
    .describe('Maximum number of commands of a workspace that can be undone; 30 to 50 fit into a mount'),
  UNDO_DAYS: z.coerce.number().min(0).default(7).describe('Days for which a command can be undone'),
  HOLD_OWN_MAX_FILES: z.coerce
    .number()
    .int()
    .min(0)
    .default(10_000)
    .describe('How many of its own goal’s or chat’s files a command may destroy without asking'),
  HOLD_OWN_MAX_MB: z.coerce.number().int().min(0).default(1_024).describe('The same limit in MiB'),
  RUN_MEMORY_MB: z.coerce.number().int().min(16).default(512).describe('Memory of one command, MiB; swap is off'),
  RUN_CPUS: z.coerce.number().min(0.1).default(1).describe('CPUs of one command'),
  RUN_PIDS: z.coerce.number().int().min(8).default(256).describe('Processes of one command'),
  RUN_TMP_MB: z.coerce.number().int().min(1).default(256).describe('Size of /tmp, MiB, in memory'),
  RUN_OPEN_FILES: z.coerce.number().int().min(64).default(4_096).describe('Files that one process may have open'),
  RUN_FILE_MAX_MB: z.coerce.number().int().min(1).default(2_048).describe('Largest file a command may write, MiB'),
  RUN_WORKSPACE_MAX_MB: z.coerce
    .number()
    .int()
    .min(1)
    .default(4_096)
    .describe(
      'Maximum size of a workspace, MiB. A command that exceeds it is ended; later ones can read and delete but not write',
    ),
  RUN_WORKSPACE_MAX_FILES: z.coerce
    .number()
    .int()
    .min(100)
    .default(500_000)
    .describe('Maximum number of files and folders in a workspace. A command that exceeds it is ended'),
  DISK_FREE_MIN_MB: z.coerce
    .number()
    .int()
    .min(0)
    .default(512)
    .describe('Free space of the host, MiB, below which no command may write files'),
  WARM_MAX: z.coerce.number().int().min(1).max(64).default(4).describe('Containers kept ready for the next command'),
  WARM_MAX_AGE_MS: milliseconds.default(600_000).describe('How long a container is kept ready'),
  RUN_OUTPUT_MAX_BYTES: z.coerce
    .number()
    .int()
    .min(1024)
    .default(65_536)
    .describe('Output of one command stored in the history (its beginning and its end), bytes'),
  RUN_OUTPUT_WHOLE_MAX_MB: z.coerce
    .number()
    .int()
    .min(0)
    .max(1_024)
    .default(16)
    .describe(
      'Maximum complete output of one command that can be paged, MiB; in longer output, a part before the end is omitted. 0: only the output in the history',
    ),
  OUTPUTS_MAX_MB: z.coerce
    .number()
    .int()
    .min(0)
    .default(1_024)
    .describe('Space for long outputs of all commands, MiB; the oldest are deleted first'),
  RUN_STREAM_MAX_BYTES: z.coerce
    .number()
    .int()
    .min(1024)
    .default(8_388_608)
    .describe('Maximum output of one command that is streamed live, bytes'),
  RUNS_AT_ONCE: z.coerce.number().int().min(1).default(8).describe('Commands that run at once; more wait'),
  RUNS_QUEUED: z.coerce.number().int().min(0).default(64).describe('Commands that may wait; more are refused with 429'),
  FILES_MAX_MB: z.coerce.number().int().min(1).default(256).describe('Largest upload to a workspace, MiB'),
  PREVIEW_MAX_MB: z.coerce
    .number()
    .int()
    .min(1)
    .default(256)
    .describe('Largest workspace without layers that is copied for a preview, MiB'),
  PREVIEW_KEEP_MINUTES: z.coerce
    .number()
    .min(0)
    .default(60)
    .describe('Minutes for which proceed can keep the result of a preview; after that, proceed runs the command again'),
  SNAPSHOTS_MAX_MB: z.coerce
    .number()
    .int()
    .min(0)
    .default(1_024)
    .describe('Space for undo in one workspace (layers or snapshots), MiB; the newest are kept. 0: none'),
  ...Telemetry.shape,
  LOG_LEVEL: logLevel,
});
export type SandboxConfig = z.infer<typeof SandboxConfig>;
