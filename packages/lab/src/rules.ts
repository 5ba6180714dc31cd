import { HostName } from '@aish/contracts/hosts';
import { FindingId } from '@aish/contracts/lab';
import { readYaml } from '@aish/contracts/yaml-file';
import { z } from 'zod';

const percent = z.number().min(1).max(100);
const days = z.number().min(0).max(3_650);
const place = z
  .string()
  .min(1)
  .max(1_024)
  // The probe gets one line for each value.
  .regex(/^[^\n\t\0]+$/, 'must not contain a line break or tab');
const folder = place.regex(/^\//, 'must be an absolute path, such as /tank/backups');
const folders = z.array(folder).max(50).default([]);
const repositories = z
  .array(z.strictObject({ repository: place, passwordFile: folder }))
  .max(10)
  .default([]);

const HostRules = z.strictObject({
  /** Folders in which the newest file is the newest backup. */
  backups: folders,
  certificates: folders,
  /** An address like `nas.lan:443`. The host fetches the certificate from it. */
  tls: z
    .array(place.regex(/^[^\s:]+:\d{1,5}$/, 'must be an address and a port, such as nas.lan:443'))
    .max(50)
    .default([]),
  sizes: folders,
  restic: repositories,
  borg: repositories,
});
export type HostRules = z.infer<typeof HostRules>;
export const NO_HOST_RULES: HostRules = HostRules.parse({});

const until = z.iso.date().describe('a date: 2026-12-24');
const Ignored = z.union([
  z.strictObject({ finding: FindingId, until: until.optional(), why: z.string().max(400).optional() }),
  z.strictObject({
    kind: z.string().regex(/^[a-z]+$/),
    host: HostName.optional(),
    name: z.string().max(600).optional(),
    until: until.optional(),
    why: z.string().max(400).optional(),
  }),
]);

export const Rules = z.strictObject({
  thresholds: z
    .strictObject({
      /** The percentage of a file system, and of its inodes, from which it counts as full. */
      disk: percent.default(90),
      inodes: percent.default(90),
      fullInDays: days.default(14),
      memory: percent.default(95),
      swap: percent.default(90),
      /** The load per processor from which a host counts as overloaded. */
      load: z.number().min(0.1).max(1_000).default(4),
      backupDays: days.default(2),
      /** The percentage of its usual size below which a backup counts as too small. */
      backupSize: percent.default(50),
      certificateDays: days.default(14),
      imageDays: days.default(365),
      restarts: z.number().int().min(1).default(3),
      failedLogins: z.number().int().min(1).default(200),
      updates: z.number().int().min(1).default(100),
      securityUpdates: z.number().int().min(1).default(1),
      diskHeat: z.number().min(20).max(120).default(60),
      diskWorn: percent.default(90),
      pool: percent.default(85),
      clockSeconds: z.number().min(1).default(60),
    })
    .prefault({}),
  hosts: z.record(HostName, HostRules).default({}),
  ignore: z.array(Ignored).max(500).default([]),
});
export type Rules = z.infer<typeof Rules>;
export const DEFAULT_RULES: Rules = Rules.parse({});

/** @throws AishError `invalid_body`, which names the line. */
export function readRules(text: string): Rules {
  return readYaml('brief.yaml', text, Rules, 'The rules have not changed.').value;
}

/** Returns the settings in the format of the probe: assignments that a shell reads as plain text. */
export function probeSettings({ backups, certificates, tls, sizes, restic, borg }: HostRules): string {
  const pairs = (all: HostRules['restic']) =>
    all.map(({ repository, passwordFile }) => `${repository}\t${passwordFile}`);
  const lists = {
    BACKUPS: backups,
    CERTS: certificates,
    TLS: tls,
    SIZES: sizes,
    RESTIC: pairs(restic),
    BORG: pairs(borg),
  };
  return Object.entries(lists)
    .map(([name, lines]) => `${name}='${lines.join('\n').replaceAll("'", `'\\''`)}'\n`)
    .join('');
}
