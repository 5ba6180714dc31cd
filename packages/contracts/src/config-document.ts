import * as z from 'zod';
import { SetBriefSchedule } from './lab.js';
import { AddHost, HostKey, HostName, SetPrelude } from './hosts.js';
import { ImageName, ImageRecipe } from './images.js';
import { AddEventRule, AddEventSource, EventSourceName } from './incoming-events.js';
import { CreateSchedule } from './schedules.js';
import { SecretName, SecretValue, SetSecret } from './secrets.js';
import { SpaceName } from './space-name.js';
import { SetSpace } from './spaces.js';

const { value: _value, ...ofSecret } = SetSecret.shape;
const { name: _host, ...ofHost } = AddHost.shape;
const { name: _source, secret: _secret, ...ofSource } = AddEventSource.shape;

export const SecretConfig = z.strictObject(ofSecret);
export const EventSourceConfig = z.strictObject(ofSource);
export const HostConfig = z.strictObject({
  ...ofHost,
  /** The pinned keys. Nothing runs on a host without them. */
  keys: z.array(HostKey).max(8).default([]),
  prelude: SetPrelude.shape.prelude.default(null),
  rollback: SetPrelude.shape.rollback.default(null),
});

/**
 * An owner's setup, as files. Each property is one file, and a file that is missing is not managed: nothing of
 * it changes. The values of secrets are never part of it.
 */
export const ConfigDocument = z
  .strictObject({
    /** The servers to which each secret may go. */
    secrets: z.record(SecretName, SecretConfig).optional(),
    hosts: z.record(HostName, HostConfig).optional(),
    images: z.record(ImageName, ImageRecipe).optional(),
    spaces: z.record(SpaceName, z.strictObject(SetSpace.shape)).optional(),
    events: z
      .strictObject({
        sources: z.record(EventSourceName, EventSourceConfig).default({}),
        /** The rules, in the order in which aish tries them. */
        rules: z.array(AddEventRule).default([]),
      })
      .optional(),
    schedules: z
      .strictObject({
        goals: z.array(CreateSchedule).default([]),
        brief: SetBriefSchedule.nullable().default(null),
      })
      .optional(),
    /** The rules of the brief, as the text of brief.yaml. */
    brief: z.string().max(65_536).optional(),
  })
  .meta({ id: 'ConfigDocument' });
export type ConfigDocument = z.infer<typeof ConfigDocument>;
export type ConfigDocumentInput = z.input<typeof ConfigDocument>;
export type ConfigFile = keyof ConfigDocument;
export const CONFIG_FILES = Object.keys(ConfigDocument.shape) as readonly ConfigFile[];

/** One difference between the setup and the files. */
export const ConfigChange = z.object({
  change: z.enum(['add', 'set', 'remove']),
  /** The kind and the name, such as `space media`. */
  what: z.string(),
  /** The changed fields, or all fields of something new. A value is JSON, and null if there is none. */
  fields: z.array(z.object({ name: z.string(), from: z.string().nullable(), to: z.string().nullable() })),
});
export type ConfigChange = z.infer<typeof ConfigChange>;

export const ApplyConfig = z
  .strictObject({
    config: ConfigDocument,
    /** The values of secrets that are new or change. */
    secrets: z.record(SecretName, SecretValue).default({}),
    /** Identifies the setup that a person has seen. If it is not the same any more, nothing changes. */
    base: z.string().optional(),
    /** Whether aish only checks the files and returns the changes. */
    dryRun: z.boolean().default(false),
  })
  .meta({ id: 'ApplyConfig' });
export type ApplyConfig = z.infer<typeof ApplyConfig>;

export const AppliedConfig = z
  .object({
    changes: z.array(ConfigChange),
    /** Secrets whose value is needed. */
    needs: z.array(SecretName),
    /** Identifies the setup before the changes. */
    base: z.string(),
    /** New event sources with their secrets, which are shown only once. */
    sources: z.array(z.object({ name: EventSourceName, secret: z.string() })),
    /** Hosts that are new or sign in another way, and the line for their `authorized_keys`. */
    hosts: z.array(z.object({ name: HostName, authorizedKeys: z.string() })),
  })
  .meta({ id: 'AppliedConfig' });
export type AppliedConfig = z.infer<typeof AppliedConfig>;
