import { plural } from './plural.js';
import { formatSize } from './effect-lines.js';
import type { Held, HeldFolders, HeldItem, Refused } from './effects.js';

const CONFLICTS_SHOWN = 5;
const PATHS_SHOWN = 3;

/** The question about held changes that a person sees, in one line. */
export function heldLine(held: Held): string {
  const { own, folders, items = [], refused = [], approved = false } = held;
  if (folders !== undefined && folders.conflicts.length > 0) return conflictLine(folders);
  const pathsOf = (wanted: (item: HeldItem) => boolean) => items.filter(wanted).map(({ path }) => path);
  const permissions = pathsOf(({ how }) => how === 'permissions');
  const starts = pathsOf(({ why, how }) => why === 'start' && (how === 'created' || how === 'appended'));
  const touched = pathsOf(({ why, how }) => why === 'refused' && ['created', 'appended', 'times'].includes(how));
  const parts = [
    ...(approved ? lostByName(items) : lostByNumber(held)),
    ...(permissions.length === 0 ? [] : [`changed the permissions of ${namesOf(permissions)}`]),
    ...(touched.length === 0 ? [] : [`changed ${namesOf(touched)}`]),
    ...(starts.length === 0 ? [] : [`wrote to ${namesOf(starts)}, which other programs run or read when they start`]),
    ...(own === null ? [] : [`destroyed ${filesOf(own)} of its own, more than it may without asking`]),
  ];
  const quotes = refused.map(refusalLine);
  const subject = `${quotes.length === 0 ? 'it' : 'It'}${approved ? ' also' : ''}`;
  const did = parts.length > 0 ? `${subject} ${parts.join(', and ')}` : null;
  if (did === null && quotes.length === 0) return 'it made more changes than aish could check';
  return [...quotes, ...(did === null ? [] : [did])].join(' ');
}

/** `You refused this at step 3: "do not delete the logs".` */
export function refusalLine({ step, words }: Pick<Refused, 'step' | 'words'>): string {
  const when = step === null ? 'You refused this before' : `You refused this at step ${step}`;
  return words === null ? `${when}.` : `${when}: "${words}".`;
}

function lostByNumber({ deleted, overwritten }: Held): readonly string[] {
  const lost = [
    ...(deleted.files > 0 ? [`deleted ${filesOf(deleted)}`] : []),
    ...(overwritten.files > 0 ? [`overwrote ${filesOf(overwritten)}`] : []),
  ];
  return lost.length === 0 ? [] : [`${lost.join(' and ')} that were there before`];
}

function lostByName(items: readonly HeldItem[]): readonly string[] {
  const deleted = items.filter(({ how }) => how === 'deleted').map(({ path }) => path);
  const others = items
    .filter(({ how }) => how === 'emptied' || how === 'replaced' || how === 'linked' || how === 'edited')
    .map(({ path }) => path);
  return [
    ...(deleted.length === 0 ? [] : [`deleted ${namesOf(deleted)}`]),
    ...(others.length === 0 ? [] : [`overwrote ${namesOf(others)}`]),
  ];
}

function namesOf(paths: readonly string[]): string {
  const shown = paths.slice(0, PATHS_SHOWN).map((path) => path.replaceAll('\n', '⟨U+000A⟩'));
  const rest = paths.length - shown.length;
  if (rest > 0) return `${shown.join(', ')} and ${rest} more`;
  const last = shown.pop() ?? '';
  return shown.length === 0 ? last : `${shown.join(', ')} and ${last}`;
}

/** Why changes cannot be copied to the host, and what to do. */
function conflictLine({ names, conflicts }: HeldFolders): string {
  const shown = conflicts.slice(0, CONFLICTS_SHOWN).join(', ');
  const more = conflicts.length > CONFLICTS_SHOWN ? ` and ${conflicts.length - CONFLICTS_SHOWN} more` : '';
  return `${shown}${more} changed on the host while it ran, so nothing was written to ${names.join(', ')}. Skip discards its changes; then it can run again on the current files`;
}

function filesOf({ files, bytes }: Held['deleted']): string {
  return `${plural(files, 'file')} (${formatSize(bytes)})`;
}
