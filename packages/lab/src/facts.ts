import { z } from 'zod';

const text = z.string().max(600);
/** A number; null if the host's tool printed none. */
const number = z.number().nullable().default(null);
const flag = z.literal([0, 1]).nullable().default(null);

/** The fields of each probe. All other fields are dropped. */
export const FACTS = {
  system: z.object({
    os: text,
    kernel: text,
    now: z.number(),
    uptime: z.number(),
    load: number,
    cpus: number,
    reboot: flag,
    MemTotal: number,
    MemAvailable: number,
    SwapTotal: number,
    SwapFree: number,
  }),
  disk: z.object({
    type: text,
    network: flag,
    answers: flag,
    kb: number,
    used: number,
    free: number,
    inodes: number,
    inodesFree: number,
  }),
  mount: z.object({ source: text, type: text }),
  unit: z.object({ manager: text, state: text, sub: text.default('') }),
  container: z.object({
    engine: text,
    image: text,
    imageId: text,
    state: text,
    started: text.default(''),
    ended: text.default(''),
    code: number,
    restarts: number,
    health: text.default(''),
    policy: text.default(''),
    /** The configured ports, so that they are known even while the container is stopped. */
    ports: text.default(''),
  }),
  image: z.object({ created: text }),
  backup: z.object({
    tool: text.default('folder'),
    readable: flag,
    files: number,
    newest: number,
    bytes: number,
    median: number,
    time: text.default(''),
  }),
  certificate: z.object({ ends: text, readable: flag }),
  update: z.object({ pending: z.number(), security: number }),
  package: z.object({ version: text }),
  smart: z.object({
    sleeping: flag,
    passed: flag,
    moved: number,
    pending: number,
    heat: number,
    worn: number,
    /** The attributes that are past the limit of the disk's maker now. */
    failing: text.default(''),
  }),
  raid: z.object({ state: text, disks: text, degraded: flag, work: text.default('') }),
  pool: z.object({ health: text, full: number }),
  clock: z.object({ synced: flag }),
  login: z.object({ failed: z.number() }),
  port: z.object({ process: text.default('') }),
  oom: z.object({ kills: z.number(), last: text.default('') }),
  user: z.object({ uid: number, shell: text, keys: text.default('') }),
  cron: z.object({ line: text }),
  size: z.object({ kb: number }),
};

export type Probe = keyof typeof FACTS;
type Values<P extends Probe> = z.infer<(typeof FACTS)[P]>;
export const PROBES = Object.keys(FACTS) as readonly Probe[];

export type FactOf<P extends Probe> = { readonly probe: P; readonly name: string; readonly values: Values<P> };
export type AnyFact = { readonly [P in Probe]: FactOf<P> }[Probe];

/** The result of one probe of one host. */
export interface Reading {
  readonly probe: Probe;
  readonly facts: readonly AnyFact[];
  /** Why the probe, or a part of it, could not run. */
  readonly skipped: readonly string[];
  /** The number of printed lines that are not facts of this probe. */
  readonly nonsense: number;
  /** Whether the probe finished, so that a missing fact means that the thing no longer exists. */
  readonly done: boolean;
  /** Whether the probe was ended early, so that nobody knows the rest. */
  readonly cut: boolean;
}

/** The result of one check of one host. */
export interface Snapshot {
  readonly host: string;
  readonly at: Date;
  readonly answered: boolean;
  /** Why the host did not answer. */
  readonly detail: string;
  readonly readings: readonly Reading[];
}

export function factsOf<P extends Probe>(snapshot: Snapshot, probe: P): readonly FactOf<P>[] {
  const facts = snapshot.readings.find((reading) => reading.probe === probe)?.facts ?? [];
  return facts.filter((fact): fact is FactOf<P> & AnyFact => fact.probe === probe);
}
