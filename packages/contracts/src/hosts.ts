import * as z from 'zod';
import { NetworkHost } from './network.js';

/** What commands call a host: `ssh nas`. */
export const HostName = z.string().regex(/^[a-z0-9](?:[a-z0-9-]{0,30}[a-z0-9])?$/, {
  error: 'must be lowercase letters, digits and -, as in nas',
});

/** Hosts that a goal or a chat may use. */
export const HostNames = z.array(HostName).max(64).default([]);

/** A public key of a host, as `known_hosts` has it behind the name. */
export const HostKey = z
  .string()
  .regex(/^(?:ssh-ed25519|ecdsa-sha2-nistp(?:256|384|521)|ssh-rsa) [A-Za-z0-9+/]{40,2000}={0,2}$/);

/**
 * How aish signs in. `certificate`: a certificate of one minute for one command, which the host itself enforces. `key`:
 * a stored key, for hosts that do not support certificates. A person who gets the key can do everything that the user
 * can.
 */
export const HostLogin = z.enum(['certificate', 'key']);
export type HostLogin = z.infer<typeof HostLogin>;

const address = NetworkHost.refine((host) => !host.startsWith('*'), { error: 'must be one host' });
const user = z.string().regex(/^[a-z_][a-z0-9_.-]{0,31}$/, { error: 'must be a user name, as in aish' });
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

/** Pins the keys that were shown: nobody connects before that, or to a host that has another one. */
export const TrustHost = z.strictObject({ keys: z.array(HostKey).min(1).max(8) }).meta({ id: 'TrustHost' });
export type TrustHost = z.infer<typeof TrustHost>;

const line = z.string().trim().min(1).max(4_096);

/**
 * What is done on a host before each command that a person let through, a snapshot as a rule, and what takes it back. `{name}`
 * in them becomes the name of the snapshot, the same in both.
 */
export const SetPrelude = z
  .strictObject({ prelude: line.nullable(), rollback: line.nullable() })
  .meta({ id: 'SetPrelude' });
export type SetPrelude = z.infer<typeof SetPrelude>;

/** A prelude or its rollback as it runs for an action. */
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
    /** Pinned; none: it is not trusted yet, and nothing runs there. */
    keys: z.array(ShownKey),
    /** The line for `authorized_keys` of its user. */
    authorizedKeys: z.string(),
    prelude: z.string().nullable().default(null),
    rollback: z.string().nullable().default(null),
    createdBy: z.string(),
    createdAt: z.iso.datetime(),
    /** When a command last ended there. */
    lastSeenAt: z.iso.datetime().nullable(),
    /** The newest command that a person let run there or that only read, and the goal that ran it. */
    last: z.object({ command: z.string(), at: z.iso.datetime(), goalNumber: z.int().nullable() }).nullable(),
  })
  .meta({ id: 'Host' });
export type Host = z.infer<typeof Host>;

export const HostList = z.object({ items: z.array(Host) }).meta({ id: 'HostList' });
export type HostList = z.infer<typeof HostList>;

/** A host, and the keys that it shows now: compare them before they are trusted. */
export const SeenHost = z.object({ host: Host, seen: z.array(ShownKey) }).meta({ id: 'SeenHost' });
export type SeenHost = z.infer<typeof SeenHost>;

export const HostCheck = z
  .object({
    ok: z.boolean(),
    /** What is wrong, or what the host says of itself. */
    detail: z.string(),
    /** Tools for snapshots that its user finds there. */
    tools: z.array(z.string()),
  })
  .meta({ id: 'HostCheck' });
export type HostCheck = z.infer<typeof HostCheck>;

/** What became of a command for a host. `approved`: a person let exactly this one run; `prelude`: it ran before such a one. */
export const HostVerdict = z.enum(['read-only', 'approved', 'prelude', 'refused']);
export type HostVerdict = z.infer<typeof HostVerdict>;

/** One command that was asked for on a host, newest first in lists. */
export const HostCommand = z
  .object({
    id: z.uuid(),
    /** Of its certificate. */
    serial: z.int(),
    host: z.string(),
    command: z.string(),
    verdict: HostVerdict,
    reason: z.string().nullable(),
    sessionId: z.uuid(),
    goalNumber: z.int().nullable(),
    at: z.iso.datetime(),
    /** Null while it runs, where it was refused, and where nobody knows how it ended. */
    exitCode: z.int().nullable(),
    endedAt: z.iso.datetime().nullable(),
  })
  .meta({ id: 'HostCommand' });
export type HostCommand = z.infer<typeof HostCommand>;

export const HostCommandList = z.object({ items: z.array(HostCommand) }).meta({ id: 'HostCommandList' });
export type HostCommandList = z.infer<typeof HostCommandList>;

/** Arguments of one `ssh` in a command's container, as they came: all tricks of a shell are over by then. */
export const HostAsk = z.object({ id: z.uuid(), argv: z.array(z.string()).max(4_096) });
export type HostAsk = z.infer<typeof HostAsk>;

/** One sign-in to one host, for one command. */
export const HostSignIn = z.strictObject({
  address,
  port,
  user,
  keys: z.array(HostKey).min(1),
  /** In the format of OpenSSH; made for this one command, unless the host knows no certificates. */
  privateKey: z.string().max(16_384),
  certificate: z.string().max(262_144).nullable(),
  command: z.string().min(1).max(131_072),
  /** Whether `command` is the name of a subsystem. */
  subsystem: z.boolean(),
  /** Whether the command reads what its caller is given. */
  stdin: z.boolean(),
});
export type HostSignIn = z.infer<typeof HostSignIn>;

/** The driver of a run sends it as the answer to an ask. */
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
