import * as z from 'zod';
import { RunOutcome } from './actions.js';
import { EngineReport } from './engine.js';
import { COMMAND_MAX_CHARS } from './limits.js';
import { HostFolderNames, HostFolderOffer } from './host-folders.js';
import { HostAsk } from './hosts.js';
import { RunImage } from './images.js';
import { CountedConnection, NetworkConnection } from './network.js';
import { RunSecret } from './secrets.js';
import { BoundFile, ContextDigest } from './execution-context.js';

/** The number of bytes missing from the middle of a run's output. */
export const OMITTED_BYTES_HEADER = 'x-omitted-bytes';

const DEFAULT_RUN_TIMEOUT_MS = 10 * 60_000;

/** A change that a person refused. Paths are absolute or relative to the workspace. Names in them may be globs. */
export const Refusal = z.strictObject({
  step: z.int().nullable(),
  words: z.string().nullable(),
  paths: z.array(z.string()).max(1_000),
  /** Paths among these that a person has allowed since. */
  lifted: z.array(z.string()),
});
export type Refusal = z.infer<typeof Refusal>;

/** How a command's changes are held until they are approved. */
export const Hold = z
  .strictObject({
    /** The goal or chat that runs the command. Its commands may destroy what it made itself. */
    origin: z.uuid(),
    /**
     * `must`: the command starts only if its changes can be undone, otherwise the run fails with `hold_unavailable`.
     * `note`: the command was approved, so its changes are kept; with `named`, only the changes to those paths.
     * `preview`: like `must`, but the changes are never kept automatically.
     */
    mode: z.enum(['must', 'may', 'note', 'preview']),
    /** The paths in the text of an approved command, relative to its starting folder. Names in them may be globs. */
    named: z.array(z.string()).max(1_000).optional(),
    /** Changes that a person refused. All such changes are held, no matter which command makes them. */
    refusals: z.array(Refusal).max(200).optional(),
  })
  .meta({ id: 'Hold' });
export type Hold = z.infer<typeof Hold>;

/** Whether the changes of a run are kept, or undone as if it had never run. */
export const SettleHeld = z.strictObject({ verdict: z.enum(['keep', 'drop']) }).meta({ id: 'SettleHeld' });
export type SettleHeld = z.infer<typeof SettleHeld>;

/** One command in one new container. A known `runId` attaches to that run instead of starting another. */
export const RunRequest = z
  .strictObject({
    runId: z.uuid(),
    /** The session whose workspace volume is mounted at /workspace. It is created if it does not exist. */
    workspaceId: z.uuid(),
    command: z.string().min(1).max(COMMAND_MAX_CHARS),
    timeoutMs: z
      .int()
      .min(100)
      .max(24 * 3_600_000)
      .default(DEFAULT_RUN_TIMEOUT_MS),
    /**
     * Whether the command starts where the workspace's last command ended (folder, exported variables), and passes that
     * on.
     */
    carryOver: z.boolean().default(true),
    /** Host folders to mount, by their names in the sandbox's configuration. */
    hostFolders: HostFolderNames,
    /** The image and limits. Default: those of the sandbox. */
    image: RunImage.optional(),
    /**
     * Whether each `ssh` in the command asks the caller of this run with a frame `host`. If false, the run has no
     * `ssh`.
     */
    hosts: z.boolean().default(false),
    /**
     * The digest of the approved execution context. In any other context nothing starts, and the run fails with
     * `execution_context_changed`.
     */
    expectedContextDigest: ContextDigest.optional(),
    /** The files whose content is part of that digest. */
    boundFiles: z.array(BoundFile).max(200).default([]),
    /**
     * Whether the command runs without carried variables that change the meaning of commands, and so with the image's
     * own PATH. The next command gets them again.
     */
    pinned: z.boolean().default(false),
    /** Whether no person waits for the command. Commands of goals start after those of people, and get less CPU. */
    background: z.boolean().default(false),
    /** Set if aish should check the command's changes before it keeps them. */
    hold: Hold.optional(),
    /** The preview that the approving person named. aish keeps the run of this preview only. */
    preview: z.uuid().toLowerCase().optional(),
    /**
     * Secrets that the command may use but not read. Its environment contains placeholders. The values are kept in
     * memory until the run ends.
     */
    secrets: z.array(RunSecret).max(50).default([]),
  })
  .meta({ id: 'RunRequest' });
export type RunRequest = z.infer<typeof RunRequest>;
export type RunRequestInput = z.input<typeof RunRequest>;

/**
 * The frames of a run's stream (SSE, one JSON document per event): any number of `output`, `network`, `host` and
 * `hostEnded`, then exactly one `exit`, or one `error` (a problem document) if the run could not be completed.
 */
export const RunFrame = z.discriminatedUnion('type', [
  z.object({ type: z.literal('output'), stream: z.enum(['stdout', 'stderr']), text: z.string() }),
  /**
   * A destination that the command connected to or was refused. `count` says how often so far. A later frame has the
   * higher count.
   */
  z.object({ type: z.literal('network'), ...NetworkConnection.shape, count: z.int() }),
  /**
   * The command wants to run something on another host and waits for the answer. Clients that attach later get this
   * frame again.
   */
  z.object({ type: z.literal('host'), ask: HostAsk }),
  /** `exitCode` is null if nobody knows how the command ended on the host. */
  z.object({ type: z.literal('hostEnded'), id: z.uuid(), exitCode: z.int().nullable() }),
  z.object({ type: z.literal('exit'), outcome: RunOutcome }),
  z.object({ type: z.literal('error'), problem: z.looseObject({ code: z.string(), detail: z.string().optional() }) }),
]);
export type RunFrame = z.infer<typeof RunFrame>;

export const RunStatus = z
  .object({
    runId: z.uuid(),
    state: z.enum(['running', 'ended', 'lost']),
    outcome: RunOutcome.nullable(),
    /** The destinations that the run connected to or was refused so far, each once. */
    connections: z.array(CountedConnection).default([]),
  })
  .meta({ id: 'RunStatus' });
export type RunStatus = z.infer<typeof RunStatus>;

export const SandboxStatus = z
  .object({
    ready: z.boolean(),
    /** Why the sandbox refuses commands, and what to do. */
    detail: z.string().nullable(),
    engine: EngineReport.nullable(),
    image: z.string().nullable(),
    running: z.int(),
    /** Number of containers that wait for a command. */
    warm: z.int(),
    /** Number and size of all workspaces. The sandbox measures them after each command. */
    workspaces: z.object({ count: z.int(), sizeBytes: z.int() }),
    hostFolders: z.array(HostFolderOffer).default([]),
    /**
     * Why the sandbox's commands have no layers; null if they have layers. Without layers, undo needs copies, and
     * changes are not reported.
     */
    whyNoLayers: z.string().nullable().default(null),
  })
  .meta({ id: 'SandboxStatus' });
export type SandboxStatus = z.infer<typeof SandboxStatus>;
