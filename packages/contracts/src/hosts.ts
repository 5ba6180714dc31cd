import * as z from 'zod';
import { NetworkHost } from './network.js';

/** The name that commands use for a host: `ssh nas`. */
export const HostName = z.string().regex(/^[a-z0-9](?:[a-z0-9-]{0,30}[a-z0-9])?$/, {
  error: 'must be lowercase letters, digits and -, such as nas',
});

/** Hosts that a goal or a chat may use. */
export const HostNames = z.array(HostName).max(64).default([]);

/** A public key of a host, in the form that follows the name in `known_hosts`. */
export const HostKey = z
  .string()
  .regex(/^(?:ssh-ed25519|ecdsa-sha2-nistp(?:256|384|521)|ssh-rsa) [A-Za-z0-9+/]{40,2000}={0,2}$/);

/**
 * How aish signs in. `certificate`: with a certificate that is valid for one minute and one command, which the host
 * enforces. `key`: with a stored key, for hosts that do not support certificates. Anyone who obtains the key can do
 * everything that the user can.
 */
export const HostLogin = z.enum(['certificate', 'key']);
export type HostLogin = z.infer<typeof HostLogin>;

const address = NetworkHost.refine((host) => !host.startsWith('*'), { error: 'must be one host' });
const user = z.string().regex(/^[a-z_][a-z0-9_.-]{0,31}$/, { error: 'must be a user name, such as aish' });
const port = z.int().min(1).max(65_535);

export const AddHost = z
  .strictObject({
    name: HostName,
    address,
    port: port.default(22),
    user: user.default('aish'),
    login: HostLogin.default('certificate'),
  })
  .meta({ id: 'AddHost' });
export type AddHost = z.infer<typeof AddHost>;

/** Pins the keys that were shown. aish does not connect before that, and never connects to a host with another key. */
export const TrustHost = z.strictObject({ keys: z.array(HostKey).min(1).max(8) }).meta({ id: 'TrustHost' });
export type TrustHost = z.infer<typeof TrustHost>;

const line = z.string().trim().min(1).max(4_096);

/**
 * The command that runs on a host before each approved command, usually to make a snapshot, and the command that rolls
 * back to it. In both, `{name}` becomes the name of the snapshot.
 */
export const SetPrelude = z
  .strictObject({ prelude: line.nullable(), rollback: line.nullable() })
  .meta({ id: 'SetPrelude' });
export type SetPrelude = z.infer<typeof SetPrelude>;

/** Returns the prelude or rollback command for an action. */
export function preludeFor(template: string, actionId: string): string {
  return template.replaceAll('{name}', `aish-${actionId.slice(0, 8)}`);
}

/** A key with its SHA-256 fingerprint, as `ssh-keygen -l` prints it. */
const ShownKey = z.object({ key: HostKey, fingerprint: z.string() });
export type ShownKey = z.infer<typeof ShownKey>;

export const Host = z
  .object({
    name: HostName,
    address: z.string(),
    port,
    user: z.string(),
    login: HostLogin,
    /** The pinned keys. If there are none, the host is not trusted yet, and nothing runs there. */
    keys: z.array(ShownKey),
    /** The line for `authorized_keys` of the user on the host. */
    authorizedKeys: z.string(),
    prelude: z.string().nullable().default(null),
    rollback: z.string().nullable().default(null),
    createdBy: z.string(),
    createdAt: z.iso.datetime(),
    /** When the last command on the host ended. */
    lastSeenAt: z.iso.datetime().nullable(),
    /** The newest approved or read-only command on the host, and the goal that ran it. */
    last: z.object({ command: z.string(), at: z.iso.datetime(), goalNumber: z.int().nullable() }).nullable(),
  })
  .meta({ id: 'Host' });
export type Host = z.infer<typeof Host>;

export const HostList = z.object({ items: z.array(Host) }).meta({ id: 'HostList' });
export type HostList = z.infer<typeof HostList>;

/** A host, and the keys that it presents now. Compare them before you trust it. */
export const SeenHost = z.object({ host: Host, seen: z.array(ShownKey) }).meta({ id: 'SeenHost' });
export type SeenHost = z.infer<typeof SeenHost>;

export const HostCheck = z
  .object({
    ok: z.boolean(),
    /** The fault of the host, or its report about itself. */
    detail: z.string(),
    /** Snapshot tools that the user can run there. */
    tools: z.array(z.string()),
  })
  .meta({ id: 'HostCheck' });
export type HostCheck = z.infer<typeof HostCheck>;

/**
 * The verdict on a command for a host. `approved`: a person approved exactly this command. `prelude`: it ran before an
 * approved one. `creates`: aish asked nobody, because the command only creates new files.
 */
export const HostVerdict = z.enum(['read-only', 'approved', 'creates', 'prelude', 'refused']);
export type HostVerdict = z.infer<typeof HostVerdict>;

/**
 * The state of the automatic revert that a host gets before a command that could cut its connection. `armed`: the host
 * reverts the change unless aish signs in again. `kept`: aish signed in, and the change stays. `back`: the host has
 * reverted it. `unknown`: nobody knows.
 */
export const RevertState = z.enum(['armed', 'kept', 'back', 'unknown']);
export type RevertState = z.infer<typeof RevertState>;

/** One command that was requested for a host. In lists the newest comes first. */
export const HostCommand = z
  .object({
    id: z.uuid(),
    /** The serial number of the command's certificate. */
    serial: z.int(),
    host: z.string(),
    command: z.string(),
    verdict: HostVerdict,
    reason: z.string().nullable(),
    sessionId: z.uuid(),
    goalNumber: z.int().nullable(),
    at: z.iso.datetime(),
    /** The exit code; null while the command runs, if it was refused, or if nobody knows how it ended. */
    exitCode: z.int().nullable(),
    endedAt: z.iso.datetime().nullable(),
    wayBack: RevertState.nullable().default(null),
  })
  .meta({ id: 'HostCommand' });
export type HostCommand = z.infer<typeof HostCommand>;

export const HostCommandList = z.object({ items: z.array(HostCommand) }).meta({ id: 'HostCommandList' });
export type HostCommandList = z.infer<typeof HostCommandList>;

/** The arguments of one `ssh` in a command's container, after the shell has expanded everything. */
export const HostAsk = z.object({ id: z.uuid(), argv: z.array(z.string()).max(4_096) });
export type HostAsk = z.infer<typeof HostAsk>;

/** One sign-in to one host, for one command. */
export const HostSignIn = z.strictObject({
  address,
  port,
  user,
  keys: z.array(HostKey).min(1),
  /**
   * The private key in OpenSSH format. It is made for this one command, unless the host does not support certificates.
   */
  privateKey: z.string().max(16_384),
  certificate: z.string().max(262_144).nullable(),
  command: z.string().min(1).max(131_072),
  /** Whether `command` is the name of a subsystem. */
  subsystem: z.boolean(),
  /** Whether the command reads the stdin of its caller. */
  stdin: z.boolean(),
  /** The time after which a trial ends the command and returns what it has printed, in milliseconds. */
  limitMs: z.int().min(1).max(20_000).optional(),
});
export type HostSignIn = z.infer<typeof HostSignIn>;

/** The answer to a request, sent by the process that runs the command's action. */
export const HostAnswer = z
  .discriminatedUnion('verdict', [
    z.strictObject({ verdict: z.literal('run'), signIn: HostSignIn }),
    z.strictObject({ verdict: z.literal('refuse'), message: z.string().max(16_384) }),
  ])
  .meta({ id: 'HostAnswer' });
export type HostAnswer = z.infer<typeof HostAnswer>;

export const ScanHost = z.strictObject({ address, port });
export const ScannedHost = z.object({ keys: z.array(HostKey) });
export const HostTrial = z.object({ exitCode: z.int().nullable(), output: z.string(), log: z.string() });
export type HostTrial = z.infer<typeof HostTrial>;
