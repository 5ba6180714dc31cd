import type * as z from 'zod';
import { canonicalJson } from './canonical-json.js';
import {
  EventSourceConfig,
  HostConfig,
  SecretConfig,
  type ConfigChange,
  type ConfigDocument,
  type ConfigFile,
} from './config-document.js';
import { CreateGoal } from './goals.js';
import { ImageRecipe } from './images.js';
import { AddEventRule } from './incoming-events.js';
import { invariant } from './invariant.js';
import { CreateSchedule } from './schedules.js';
import { DEFAULT_SPACE } from './space-name.js';
import { emptySpace } from './spaces.js';

type Json = unknown;
type Kind = 'secret' | 'host' | 'image' | 'space' | 'event source' | 'event rule' | 'schedule' | 'brief';

/** A difference, with the value that is to be written. */
export interface WantedChange<V = Json> {
  readonly change: ConfigChange['change'];
  readonly kind: Kind;
  readonly name: string;
  /** The place of the value in the document of the files, or of a removed value in the setup. */
  readonly path: readonly (string | number)[];
  readonly from: V | undefined;
  readonly to: V | undefined;
}

/**
 * Returns the differences between the setup and the files. Things come before those that use them, and
 * removals come last, in the opposite order.
 */
export function configChanges(now: ConfigDocument, wanted: ConfigDocument): readonly WantedChange[] {
  const from = normal(now);
  const to = normal(wanted);
  const isManaged = (file: ConfigFile): boolean => wanted[file] !== undefined;
  const changes: WantedChange[] = [
    ...(isManaged('secrets') ? named('secret', ['secrets'], from.secrets, to.secrets) : []),
    ...(isManaged('hosts') ? named('host', ['hosts'], from.hosts, to.hosts) : []),
    ...(isManaged('images') ? named('image', ['images'], from.images, to.images) : []),
    ...(isManaged('spaces') ? named('space', ['spaces'], from.spaces, to.spaces) : []),
    ...(isManaged('events')
      ? named('event source', ['events', 'sources'], from.events?.sources, to.events?.sources)
      : []),
    ...(isManaged('events') ? listed('event rule', ['events', 'rules'], from.events?.rules, to.events?.rules) : []),
    ...(isManaged('schedules')
      ? listed('schedule', ['schedules', 'goals'], from.schedules?.goals, to.schedules?.goals)
      : []),
    ...(isManaged('schedules')
      ? named('brief', ['schedules'], { brief: from.schedules?.brief }, { brief: to.schedules?.brief })
      : []),
    ...(isManaged('brief') ? named('brief', [], { 'brief.yaml': from.brief }, { 'brief.yaml': to.brief }) : []),
  ];
  const isRemoval = ({ change }: WantedChange): boolean => change === 'remove';
  return [...changes.filter((each) => !isRemoval(each)), ...changes.filter(isRemoval).toReversed()];
}

/** Returns a difference as people see it. */
export function shownChange({ change, kind, name, from, to }: WantedChange): ConfigChange {
  const [before, after] = [fieldsOf(from), fieldsOf(to)];
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  const fields = names
    .map((field) => ({ name: field, from: before[field] ?? null, to: after[field] ?? null }))
    .filter((field) => field.from !== field.to);
  return { change, what: `${kind} ${name}`, fields: change === 'remove' ? [] : fields };
}

/**
 * Returns a document without the values that are the defaults, for files that people read. The result means the same.
 */
export function withoutDefaults(config: ConfigDocument): Readonly<Partial<Record<ConfigFile, Json>>> {
  const { secrets, hosts, images, spaces, events, schedules, brief } = config;
  const light = <T extends z.ZodType>(schema: T, map: Readonly<Record<string, z.output<T>>>) =>
    Object.fromEntries(Object.entries(map).map(([name, each]) => [name, lighter(schema, each)]));
  const withGoal = <T extends z.ZodType>(schema: T, each: z.output<T> & { readonly goal: CreateGoal }) => ({
    ...lighter(schema, each),
    goal: lighter(CreateGoal, each.goal),
  });
  return {
    ...(secrets && { secrets: light(SecretConfig, secrets) }),
    ...(hosts && { hosts: light(HostConfig, hosts) }),
    ...(images && { images: light(ImageRecipe, images) }),
    ...(spaces && { spaces: mapped(spaces, differing) }),
    ...(events && {
      events: {
        sources: light(EventSourceConfig, events.sources),
        rules: events.rules.map((rule) => withGoal(AddEventRule, rule)),
      },
    }),
    ...(schedules && {
      schedules: { ...schedules, goals: schedules.goals.map((each) => withGoal(CreateSchedule, each)) },
    }),
    ...(brief !== undefined && { brief }),
  };
}

/** Removes each value that reading adds again. */
function lighter<T extends z.ZodType>(schema: T, item: z.output<T>): Readonly<Record<string, Json>> {
  invariant(isMap(item), 'a thing that is set up has fields');
  const whole = canonicalJson(item);
  return Object.fromEntries(
    Object.entries(item).filter(([key]) => {
      const { [key]: _, ...rest } = item;
      const read = schema.safeParse(rest);
      return !read.success || canonicalJson(read.data) !== whole;
    }),
  );
}

/** Returns the document with defaults made explicit where an absent value means the same. */
function normal(config: ConfigDocument): ConfigDocument {
  const inSpace = <T extends { readonly goal: { readonly space?: string | undefined } }>(each: T): T => ({
    ...each,
    goal: { ...each.goal, space: each.goal.space ?? DEFAULT_SPACE },
  });
  const { spaces, events, schedules } = config;
  const brief = schedules?.brief?.at === null ? null : schedules?.brief;
  return {
    ...config,
    ...(spaces === undefined ? {} : { spaces: { [DEFAULT_SPACE]: {}, ...mapped(spaces, differing) } }),
    ...(events === undefined ? {} : { events: { ...events, rules: events.rules.map(inSpace) } }),
    ...(schedules === undefined ? {} : { schedules: { brief: brief ?? null, goals: schedules.goals.map(inSpace) } }),
  };
}

/** Returns the settings of a space that differ from those of a space without settings. */
function differing<T extends object>(space: T): T {
  const empty: Readonly<Record<string, Json>> = { ...emptySpace('') };
  const kept = Object.entries(space).filter(([key, value]) => canonicalJson(value) !== canonicalJson(empty[key]));
  return Object.fromEntries(kept) as T;
}

function named(kind: Kind, at: WantedChange['path'], from: Named = {}, to: Named = {}): readonly WantedChange[] {
  return [...new Set([...Object.keys(from), ...Object.keys(to)])].toSorted().flatMap((name): WantedChange[] => {
    const [before, after] = [from[name] ?? undefined, to[name] ?? undefined];
    if (canonicalJson(before) === canonicalJson(after)) return [];
    const change = before === undefined ? 'add' : after === undefined ? 'remove' : 'set';
    return [{ change, kind, name, path: [...at, name], from: before, to: after }];
  });
}

/** Compares lists. The order of rules matters, so everything after the first difference is added again. */
function listed(
  kind: 'event rule' | 'schedule',
  at: WantedChange['path'],
  from: readonly Json[] = [],
  to: readonly Json[] = [],
): readonly WantedChange[] {
  const left = [...to.entries()];
  const removed = [...from.entries()].filter(([, each]) => {
    const isSame = (other: readonly [number, Json] | undefined): boolean =>
      canonicalJson(other?.[1]) === canonicalJson(each);
    const found = kind === 'event rule' ? (isSame(left[0]) ? 0 : -1) : left.findIndex(isSame);
    if (found !== -1) left.splice(found, 1);
    return found === -1;
  });
  const one = (change: 'add' | 'remove', n: number, each: Json): WantedChange => ({
    change,
    kind,
    name: titleOf(each),
    path: [...at, n],
    from: change === 'add' ? undefined : each,
    to: change === 'add' ? each : undefined,
  });
  return [...left.map(([n, each]) => one('add', n, each)), ...removed.map(([n, each]) => one('remove', n, each))];
}

function titleOf(item: Json): string {
  const { source, cron, goal } = item as { source?: string; cron?: string; goal: { text: string } };
  return `${source ?? cron ?? ''}: ${goal.text.slice(0, 60)}`;
}

type Named = Readonly<Record<string, Json>>;

function isMap(value: Json): value is Named {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function mapped<T>(map: Readonly<Record<string, T>>, fn: (value: T) => T): Record<string, T> {
  return Object.fromEntries(Object.entries(map).map(([key, value]) => [key, fn(value)]));
}

function fieldsOf(value: Json): Readonly<Record<string, string>> {
  if (value === undefined) return {};
  if (!isMap(value)) return { text: canonicalJson(value) };
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, canonicalJson(each)]));
}
