import type { Change, Difference, Effects, Held, HeldFolders, HeldItem } from './effects.js';
import { DELETED_PATHS_MAX, EFFECT_PATHS_MAX } from './limits.js';

/** A change in one line, with the same sign as in `effectsLines`. */
export function changeLine({ kind, path }: Pick<Change, 'kind' | 'path'>): string {
  return `${SIGNS[kind]} ${path.replaceAll('\n', '⟨U+000A⟩')}`;
}
const SIGNS = { deleted: '−', changed: '~', created: '+' } as const;

/** Lists a set of changes for a person: the known paths, deletions first, and the number of further ones. */
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
  return complete ? lines : [...lines, 'the list is incomplete: not all changes could be read'];
}

/** The changes of one run, and whether they were kept. */
interface Did {
  readonly effects?: Effects | undefined;
  readonly held?: Held | undefined;
}

/** Adds up the changes of several runs. Each path appears once. Null if no kept change is known. */
export function sumEffects(runs: readonly Did[]): Effects | null {
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

function sumOf(shares: readonly Effects['created'][], mostPaths: number): Effects['created'] {
  return {
    files: shares.reduce((sum, { files }) => sum + files, 0),
    bytes: shares.reduce((sum, { bytes }) => sum + bytes, 0),
    paths: [...new Set(shares.flatMap(({ paths }) => paths))].slice(0, mostPaths),
  };
}

/** The summary at the end of a goal: totals, and the deleted and changed paths. Empty if nothing changed. */
export function totalChangeLines(effects: Effects | null): readonly string[] {
  const all = effects === null ? '' : effectsLine(effects);
  if (effects === null || all === '') return [];
  const created = { files: 0, bytes: 0, paths: [] };
  return [`total changes: ${all}`, ...effectsLines({ ...effects, created, complete: true }).map((each) => `  ${each}`)];
}

/** Maximum number of lines for changes and a diff on a card, so that the whole card fits on one screen. */
export const CARD_LINES_MAX = 16;
/** Maximum number of these lines that a diff takes. */
const DIFF_LINES_MAX = 8;
const NAMED_MAX = 5;

/**
 * Describes, for a card, the held changes of a command that has run, one line each. Destroyed files come first, then
 * replaced ones, then the rest, each with the amount lost. A text diff and a hint to show everything follow.
 *
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
    `it has run, and its changes are held${line === '' ? '' : `: ${line}`}`,
    'no other command starts in its workspace until you answer',
    ...shown.map((each) => `  ${each}`),
    ...diffShown.map((each) => `  ${each}`),
    ...(diffShown.length < diff.length ? ['  … the diff continues'] : []),
    ...(rest > 0 ? [`and ${rest} more: aish show d${number} --changes`] : []),
    ...(effects?.complete === false ? ['the list is incomplete: not all changes could be read'] : []),
    ...(held.folders === undefined ? [] : folderLines(held.folders)),
  ];
}

/** Lists the changes, the most serious losses first: held changes before the others, then the largest first. */
function changesInOrder({ effects, held: { items = [] } }: Difference): readonly string[] {
  const known = new Set(items.map(({ path }) => path));
  const beside = (kind: Change['kind']) =>
    (effects?.[kind].paths ?? []).filter((path) => !known.has(path)).map((path) => changeLine({ kind, path }));
  const ranked = (rank: number) =>
    sortByLoss(items)
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

/** Sorts held changes, the most serious losses first. */
export function sortByLoss(items: readonly HeldItem[]): HeldItem[] {
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

/** How a card names each kind of change, and how much of the old content it destroys. */
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

/** Lines about held host folders that a person should read before `proceed`. */
function folderLines({ names, conflicts, skipped, undoable }: HeldFolders): readonly string[] {
  const on = `on the host, in ${names.join(', ')}`;
  return [
    conflicts.length > 0
      ? `nothing can be written ${on}: these files have changed there`
      : `proceed makes these changes ${on}`,
    ...someOf(conflicts).map((path) => `  ! ${path}`),
    ...(undoable ? [] : ['undo cannot restore what it overwrites and deletes there: that is too large to keep']),
    ...(skipped.length === 0 ? [] : ['not written to the host:', ...someOf(skipped).map((path) => `  ${path}`)]),
  ];
}

function someOf(paths: readonly string[]): readonly string[] {
  const rest = paths.length - NAMED_MAX;
  return rest <= 0 ? paths : [...paths.slice(0, NAMED_MAX), `and ${rest} more`];
}

function more({ files, paths }: Effects['created'], what: string): readonly string[] {
  return files > paths.length ? [`and ${files - paths.length} more ${what}`] : [];
}

/** Summarizes changes in one line; empty if there are none. */
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

/** Formats a number of bytes, for example `340 B`, `3.2 MB`. */
export function formatSize(bytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB'];
  let size = bytes;
  let unit = 0;
  // A value that would be rounded to 1000 is shown as 1 of the next unit.
  while (size >= 999.5 && unit < units.length - 1) {
    size /= 1000;
    unit += 1;
  }
  return `${unit === 0 || size >= 9.95 ? Math.round(size) : size.toFixed(1)} ${units[unit]}`;
}
