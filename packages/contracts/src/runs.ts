import * as z from 'zod';
import { RunOutcome } from './actions.js';
import { COMMAND_MAX_CHARS } from './limits.js';
import { HostFolderNames, HostFolderOffer } from './host-folders.js';
import { HostAsk } from './hosts.js';
import { RunImage } from './images.js';
import { CountedConnection, NetworkConnection } from './network.js';
import { RunSecret } from './secrets.js';
import { BoundFile, SurroundingsDigest } from './surroundings.js';

/** Of the whole output of a run: how many bytes are left out of its middle. */
export const OMITTED_BYTES_HEADER = 'x-omitted-bytes';

const DEFAULT_RUN_TIMEOUT_MS = 10 * 60_000;

/** What a person refused. Paths are absolute, or below the workspace; names in them may be globs. */
export const Refusal = z.strictObject({
  step: z.int().nullable(),
  words: z.string().nullable(),
  paths: z.array(z.string()).max(1_000),
  /** What a person let go by since, of these. */
  lifted: z.array(z.string()),
});
export type Refusal = z.infer<typeof Refusal>;

/** How what a command does is held until it counts. */
export const Hold = z
  .strictObject({
    /** The goal or chat: what its commands made is its own to destroy. */
    origin: z.uuid(),
    /**
     * `must`: nothing begins where it could not be taken back, `hold_unavailable`. `note`: it was approved, and counts, with
     * `named` only what it does to these paths. `preview`: as `must`, and what it does never counts by itself.
     */
    mode: z.enum(['must', 'may', 'note', 'preview']),
    /** The paths that the words of an approved command name, from where it begins; names in them may be globs. */
    named: z.array(z.string()).max(1_000).optional(),
    /** What a person refused. All changes to it are held, no matter which command makes them. */
    refusals: z.array(Refusal).max(200).optional(),
  })
  .meta({ id: 'Hold' });
export type Hold = z.infer<typeof Hold>;

/** What becomes of what a run did: it counts, or it is as if the command had never run. */
export const SettleHeld = z.strictObject({ verdict: z.enum(['keep', 'drop']) }).meta({ id: 'SettleHeld' });
export type SettleHeld = z.infer<typeof SettleHeld>;

/** One command in one fresh container. A known `runId` attaches to that run instead of starting another. */
export const RunRequest = z
  .strictObject({
    runId: z.uuid(),
    /** The session whose workspace volume is mounted at /workspace; made when it does not exist. */
    workspaceId: z.uuid(),
    command: z.string().min(1).max(COMMAND_MAX_CHARS),
    timeoutMs: z
      .int()
      .min(100)
      .max(24 * 3_600_000)
      .default(DEFAULT_RUN_TIMEOUT_MS),
    /** Whether it begins where the workspace's last command ended (folder, exported variables), and hands that on. */
    carryOver: z.boolean().default(true),
    /** Names of the configuration's allowlist, to be mounted. */
    hostFolders: HostFolderNames,
    /** What it runs in; without it in the sandbox’s own image, with the sandbox’s own limits. */
    image: RunImage.optional(),
    /** Whether its `ssh` asks the driver of this run with a frame `host`. Without this, the run has no `ssh`. */
    hosts: z.boolean().default(false),
    /** The digest of the surroundings that it was approved in: in any others nothing starts, `surroundings_changed`. */
    expectedSurroundings: SurroundingsDigest.optional(),
    /** The files whose content is part of that digest. */
    boundFiles: z.array(BoundFile).max(200).default([]),
    /**
     * Whether it runs without carried variables that change what commands mean, so with the image's own PATH. They are
     * there again for the next command.
     */
    pinned: z.boolean().default(false),
    /** Whether no person waits for it: commands of goals let those of people go first, and get less of the processor. */
    background: z.boolean().default(false),
    /** What it does counts only once it was looked at, where that can be done. */
    hold: Hold.optional(),
    /** The preview that was named by who let it run: that one's run is kept, and no other. */
    preview: z.uuid().toLowerCase().optional(),
    /** What it may use without having it: it finds the placeholders in its environment. Kept in memory, until it ends. */
    secrets: z.array(RunSecret).max(50).default([]),
  })
  .meta({ id: 'RunRequest' });
export type RunRequest = z.infer<typeof RunRequest>;
export type RunRequestInput = z.input<typeof RunRequest>;

/**
 * The frames of a run's stream (SSE, one JSON document per event): any number of `output`, `network`, `host` and `hostEnded`, then
 * exactly one `exit`, or one `error` (a problem document) when the run could not be carried to its end.
 */
export const RunFrame = z.discriminatedUnion('type', [
  z.object({ type: z.literal('output'), stream: z.enum(['stdout', 'stderr']), text: z.string() }),
  /** A destination the command connected to or was refused; `count`: how often so far. A later frame has the higher count. */
  z.object({ type: z.literal('network'), ...NetworkConnection.shape, count: z.int() }),
  /**
   * The command wants to run something on another host and waits for the answer. Sent again to clients that attach
   * later.
   */
  z.object({ type: z.literal('host'), ask: HostAsk }),
  /** `exitCode` is null when nobody knows how it ended there. */
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
    /** What it connected to or was refused so far, each destination once. */
    connections: z.array(CountedConnection).default([]),
  })
  .meta({ id: 'RunStatus' });
export type RunStatus = z.infer<typeof RunStatus>;

export const SandboxStatus = z
  .object({
    ready: z.boolean(),
    /** Why commands are refused, and what to do about it. */
    detail: z.string().nullable(),
    engine: z.object({ version: z.string(), runtime: z.string() }).nullable(),
    image: z.string().nullable(),
    running: z.int(),
    /** Containers that wait for a command. */
    warm: z.int(),
    /** What lies in workspaces, as last measured: after each command. */
    workspaces: z.object({ count: z.int(), sizeBytes: z.int() }),
    hostFolders: z.array(HostFolderOffer).default([]),
    /** Why its commands have no layers, so that undo copies and effects are not told; null when they have. */
    whyNoLayers: z.string().nullable().default(null),
  })
  .meta({ id: 'SandboxStatus' });
export type SandboxStatus = z.infer<typeof SandboxStatus>;
