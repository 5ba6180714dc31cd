import { z } from 'zod';

/** The first paths that are listed of what was created, and of what was changed. */
export const EFFECT_PATHS_MAX = 20;
/** The same of what was deleted, which nobody can look up afterwards. */
export const DELETED_PATHS_MAX = 200;
/** The first changes that a person is asked about, by path. */
export const HELD_ITEMS_MAX = 200;

const Share = z.object({
  files: z.int(),
  /** Of created and changed files as they are now, of deleted ones as they were. */
  bytes: z.int(),
  /** The first of them, below the workspace; bytes that are no UTF-8 are replaced. */
  paths: z.array(z.string()),
});

/**
 * What a command did to its workspace, read from the layer it wrote to. All but folders counts as a file. A file that was
 * opened for writing counts as changed, whatever was written.
 */
export const Effects = z
  .object({
    created: Share.extend({ paths: z.array(z.string()).max(EFFECT_PATHS_MAX) }),
    changed: Share.extend({ paths: z.array(z.string()).max(EFFECT_PATHS_MAX) }),
    deleted: Share.extend({ paths: z.array(z.string()).max(DELETED_PATHS_MAX) }),
    /** False when the numbers are only a part: there was too much to count in the time there is. */
    complete: z.boolean(),
  })
  .meta({ id: 'Effects' });
export type Effects = z.infer<typeof Effects>;

/** One file of `Effects`. `bytes` as they are now, of deleted ones as they were. */
export const Change = z.object({
  kind: z.enum(['deleted', 'changed', 'created']),
  /** Below the workspace; bytes that are no UTF-8 are replaced. */
  path: z.string(),
  bytes: z.int(),
});
export type Change = z.infer<typeof Change>;

/**
 * All that a command did to its workspace, in pages: what it deleted first, each kind by path. What it did to folders of
 * the host is not among it.
 */
export const ChangeList = z
  .object({
    items: z.array(Change),
    /** For the page after this one; null when this is the last. */
    next: z.string().nullable(),
    /** How many there are on all pages. */
    total: z.int(),
    /** False when there is more: it could not all be looked at in the time there is. */
    complete: z.boolean(),
  })
  .meta({ id: 'ChangeList' });
export type ChangeList = z.infer<typeof ChangeList>;

export const ListChanges = z.strictObject({
  /** What `next` of the page before said. */
  cursor: z
    .string()
    .regex(/^\d{1,9}$/)
    .optional(),
  limit: z.coerce.number().int().min(1).max(1000).default(200),
});
export type ListChanges = z.infer<typeof ListChanges>;

/** A change in a line, with the sign that `effectsLines` gives it. */
export function changeLine({ kind, path }: Pick<Change, 'kind' | 'path'>): string {
  return `${SIGNS[kind]} ${path.replaceAll('\n', '⟨U+000A⟩')}`;
}
const SIGNS = { deleted: '−', changed: '~', created: '+' } as const;

const Lost = z.object({ files: z.int(), bytes: z.int() });

/** What of it is in held folders of the host: it is carried over to the host when it counts. */
export const HeldFolders = z.object({
  names: z.array(z.string()),
  /** What somebody changed on the host since the command began. While there is any, nothing is carried over. */
  conflicts: z.array(z.string()),
  /** What is never carried over: sockets, pipes, devices, and setuid bits of files. */
  skipped: z.array(z.string()),
  /** The first lines of what differs in small text files; as long as it is, it is data. */
  diff: z.string(),
  /** Whether what is overwritten and deleted is kept, so that an undo brings it back. */
  undoable: z.boolean(),
});
export type HeldFolders = z.infer<typeof HeldFolders>;

/** What happened to a path. `edited`: a text file keeps at least half of the lines that it had when its goal began. */
const HowChanged = z.enum([
  'created',
  'appended',
  'edited',
  'times',
  'permissions',
  'deleted',
  'emptied',
  'replaced',
  'linked',
]);

/** A change that a person is asked about. */
export const HeldItem = z.object({
  path: z.string(),
  how: HowChanged,
  /** What was there before. */
  bytes: z.int().optional(),
  /** `refused`: a person refused it before. `start`: other programs run or read it when they start. */
  why: z.enum(['refused', 'start', 'permissions', 'deleted', 'emptied', 'replaced', 'linked']),
});
export type HeldItem = z.infer<typeof HeldItem>;

/** What a person refused before and a command touched all the same. */
export const Refused = z.object({
  step: z.int().nullable(),
  /** The person's words; null where there were none. */
  words: z.string().nullable(),
  paths: z.array(z.string()),
});
export type Refused = z.infer<typeof Refused>;

/**
 * Why what a command did does not count yet: it destroyed files that were there before its goal or chat began, or that a
 * person put there; it changed what is run or read at a start; or a person refused that before. Its workspace waits for the
 * verdict.
 */
export const Held = z
  .object({
    verdict: z.enum(['waiting', 'kept', 'dropped']),
    deleted: Lost,
    overwritten: Lost,
    /** What it destroyed of what its own goal or chat had made, where that is more than goes without asking. */
    own: Lost.nullable(),
    /** The first of the changes that are asked about. */
    items: z.array(HeldItem).max(HELD_ITEMS_MAX).optional(),
    refused: z.array(Refused).optional(),
    /** The first lines of what differs in small text files; as long as it is, it is data. */
    diff: z.string().optional(),
    /** Whether a person approved the command by its words: then this is what it did beyond the paths that they name. */
    approved: z.boolean().optional(),
    /** Where it wrote to held folders of the host; paths of those begin with a slash. */
    folders: HeldFolders.optional(),
  })
  .meta({ id: 'Held' });
export type Held = z.infer<typeof Held>;

/** What a person is shown of a command that has run and whose effects are held. */
export const Difference = z.object({ effects: Effects.nullable(), held: Held }).meta({ id: 'Difference' });
export type Difference = z.infer<typeof Difference>;

/** All that a person is shown of a difference, a line each: the paths that are known, deletions first, and how many more. */
export function effectsLines({ deleted, changed, created, complete }: Effects): readonly string[] {
  const listed = (kind: Change['kind'], { paths }: Effects['created']) =>
    paths.map((path) => changeLine({ kind, path }));
  const lines = [
    ...listed('deleted', deleted),
    ...more(deleted, 'deleted'),
    ...listed('changed', changed),
    ...more(changed, 'changed'),
    ...listed('created', created),
    ...more(created, 'created'),
  ];
  return complete ? lines : [...lines, 'there is more: it could not all be looked at'];
}

/** What a run did, and what became of that. */
interface Did {
  readonly effects?: Effects | undefined;
  readonly held?: Held | undefined;
}

/** What several runs did in all: numbers add up, a path stands once. Null where nothing that counts is known. */
export function effectsInAll(runs: readonly Did[]): Effects | null {
  const counted = runs.filter(({ held }) => held === undefined || held.verdict === 'kept');
  const each = counted.flatMap(({ effects }) => (effects === undefined ? [] : [effects]));
  if (each.length === 0) return null;
  return {
    created: sumOf(
      each.map(({ created }) => created),
      EFFECT_PATHS_MAX,
    ),
    changed: sumOf(
      each.map(({ changed }) => changed),
      EFFECT_PATHS_MAX,
    ),
    deleted: sumOf(
      each.map(({ deleted }) => deleted),
      DELETED_PATHS_MAX,
    ),
    complete: each.every(({ complete }) => complete),
  };
}

function sumOf(shares: readonly z.infer<typeof Share>[], mostPaths: number): z.infer<typeof Share> {
  return {
    files: shares.reduce((sum, { files }) => sum + files, 0),
    bytes: shares.reduce((sum, { bytes }) => sum + bytes, 0),
    paths: [...new Set(shares.flatMap(({ paths }) => paths))].slice(0, mostPaths),
  };
}

/** What a person is shown at the end: how much in all, and what was deleted and changed. Empty when there is nothing. */
export function inAllLines(effects: Effects | null): readonly string[] {
  const all = effects === null ? '' : effectsLine(effects);
  if (effects === null || all === '') return [];
  const created = { files: 0, bytes: 0, paths: [] };
  return [
    `its commands in all: ${all}`,
    ...effectsLines({ ...effects, created, complete: true }).map((each) => `  ${each}`),
  ];
}

/** The most lines of changes and of a diff on a card: with all else of it they fit one screen. */
export const CARD_LINES_MAX = 16;
/** The most of these that a diff takes. */
const DIFF_LINES_MAX = 8;
const NAMED_MAX = 5;

/**
 * What a card says of a command that has run and whose changes do not count yet, a line each: what was destroyed first, then
 * what was replaced, then the rest, with what is lost of each; a diff of texts; and how to see all.
 * @param number of the decision.
 */
export function differenceLines(difference: Difference | null, number: number): readonly string[] {
  if (difference === null) return [];
  const { effects, held } = difference;
  const line = effects === null ? '' : effectsLine(effects);
  const diff = [held.diff ?? '', held.folders?.diff ?? ''].flatMap((each) => (each === '' ? [] : each.split('\n')));
  const changes = changesInOrder(difference);
  const room = CARD_LINES_MAX - Math.min(diff.length, DIFF_LINES_MAX);
  const shown = changes.slice(0, room);
  const diffShown = diff.slice(0, CARD_LINES_MAX - shown.length);
  const rest = Math.max(changes.length, effects === null ? 0 : filesIn(effects)) - shown.length;
  return [
    `it has run, and what it did does not count yet${line === '' ? '' : `: ${line}`}`,
    'no other command starts in its workspace until you answer',
    ...shown.map((each) => `  ${each}`),
    ...diffShown.map((each) => `  ${each}`),
    ...(diffShown.length < diff.length ? ['  … the diff goes on'] : []),
    ...(rest > 0 ? [`and ${rest} more: aish changes d${number}`] : []),
    ...(effects?.complete === false ? ['there is more: it could not all be looked at'] : []),
    ...(held.folders === undefined ? [] : folderLines(held.folders)),
  ];
}

/** In the order of what is lost: a held change before one that only happened beside it, and the largest first. */
function changesInOrder({ effects, held: { items = [] } }: Difference): readonly string[] {
  const known = new Set(items.map(({ path }) => path));
  const beside = (kind: Change['kind']) =>
    (effects?.[kind].paths ?? []).filter((path) => !known.has(path)).map((path) => changeLine({ kind, path }));
  const ranked = (rank: number) =>
    lostFirst(items)
      .filter(({ how }) => HOW[how].rank === rank)
      .map(heldItemLine);
  return [
    ...ranked(0),
    ...beside('deleted'),
    ...ranked(1),
    ...ranked(2),
    ...beside('changed'),
    ...ranked(3),
    ...beside('created'),
  ];
}

/** In the order of what is lost by them. */
export function lostFirst(items: readonly HeldItem[]): HeldItem[] {
  return items.toSorted((a, b) => HOW[a.how].rank - HOW[b.how].rank || (b.bytes ?? 0) - (a.bytes ?? 0));
}

function heldItemLine({ path, how, bytes }: HeldItem): string {
  const { kind, word } = HOW[how];
  const facts = [
    ...(word === '' ? [] : [word]),
    ...(bytes === undefined || how === 'created' ? [] : [formatSize(bytes)]),
  ];
  return `${changeLine({ kind, path })}${facts.length === 0 ? '' : ` (${facts.join(', ')})`}`;
}

/** How each change is called on a card, and how much of what was there is lost by it: all at 0. */
const HOW: Readonly<
  Record<HeldItem['how'], { readonly rank: number; readonly kind: Change['kind']; readonly word: string }>
> = {
  deleted: { rank: 0, kind: 'deleted', word: '' },
  emptied: { rank: 0, kind: 'deleted', word: 'emptied' },
  replaced: { rank: 1, kind: 'changed', word: 'replaced' },
  linked: { rank: 1, kind: 'changed', word: 'now a link' },
  permissions: { rank: 2, kind: 'changed', word: 'permissions' },
  edited: { rank: 2, kind: 'changed', word: 'edited' },
  appended: { rank: 3, kind: 'changed', word: 'text added' },
  times: { rank: 3, kind: 'changed', word: 'times' },
  created: { rank: 3, kind: 'created', word: '' },
};

function filesIn({ created, changed, deleted }: Effects): number {
  return created.files + changed.files + deleted.files;
}

/** What a person should know of held folders before `proceed`. */
function folderLines({ names, conflicts, skipped, undoable }: HeldFolders): readonly string[] {
  const on = `on the host, in ${names.join(', ')}`;
  return [
    conflicts.length > 0 ? `nothing can be written ${on}: changed there since` : `proceed writes this ${on}`,
    ...someOf(conflicts).map((path) => `  ! ${path}`),
    ...(undoable ? [] : ['what it overwrites and deletes there is too much to be kept: no undo brings it back']),
    ...(skipped.length === 0 ? [] : ['not carried over:', ...someOf(skipped).map((path) => `  ${path}`)]),
  ];
}

function someOf(paths: readonly string[]): readonly string[] {
  const rest = paths.length - NAMED_MAX;
  return rest <= 0 ? paths : [...paths.slice(0, NAMED_MAX), `and ${rest} more`];
}

function more({ files, paths }: Effects['created'], what: string): readonly string[] {
  return files > paths.length ? [`and ${files - paths.length} more ${what}`] : [];
}

/** Effects in a line; empty when there are none. */
export function effectsLine({ created, changed, deleted, complete }: Effects): string {
  const counts = [
    ...(created.files > 0 ? [`+${created.files}`] : []),
    ...(changed.files > 0 ? [`~${changed.files}`] : []),
    ...(deleted.files > 0 ? [`−${deleted.files}`] : []),
  ];
  if (counts.length === 0) return complete ? '' : 'files changed; too many to count';
  const total = created.files + changed.files + deleted.files;
  const gone = deleted.bytes > 0 ? [`${formatSize(deleted.bytes)} gone`] : [];
  const most = complete ? [] : ['and more'];
  return [`${counts.join(' ')} ${total === 1 ? 'file' : 'files'}`, ...gone, ...most].join(', ');
}

/** `340 B`, `3.2 MB`. */
export function formatSize(bytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB'];
  let size = bytes;
  let unit = 0;
  // What would be rounded to 1000 is 1 of the next.
  while (size >= 999.5 && unit < units.length - 1) {
    size /= 1000;
    unit += 1;
  }
  return `${unit === 0 || size >= 9.95 ? Math.round(size) : size.toFixed(1)} ${units[unit]}`;
}
