import type { Described } from './pages.js';

const DESTROYS = new Set(
  'remove delete stop format wipe kill erase destroy purge uninstall terminate drop truncate shred prune unlink discard'.split(
    ' ',
  ),
);
const READS = new Set('list show print display view query check search find get count inspect'.split(' '));

export type Kind = 'destroying' | 'reading';

/** The verb that a description begins with, without marks: `[D]elete` is `delete`. */
export const verbOf = ({ description }: Described): string =>
  (/^\S+/.exec(description)?.[0] ?? '').replace(/[^a-zA-Z]/g, '').toLowerCase();

/** What a description says of its command by its first word; null where that says neither. */
export function kindOf(item: Described): Kind | null {
  const verb = verbOf(item);
  if (DESTROYS.has(verb)) return 'destroying';
  return READS.has(verb) ? 'reading' : null;
}

/** A page of a program with screens names keys, `<Ctrl f>pattern<Enter>`: no shell ever reads them. */
export const isKeys = ({ command }: Described): boolean => /^<[^<>]+>|<(Enter|Esc)>/.test(command);

/** Why an example that begins with a destroying verb destroys nothing. The first that holds is counted. */
const NOT_LOST: readonly (readonly [reason: string, holds: (item: Described) => boolean])[] = [
  ['a dry run', ({ command }) => /\s--(dry-run|generate-cli-skeleton)\b/.test(command)],
  ['prints the result', ({ description, command }) =>
    /stdout|stdin|to the console|displaying a diff/i.test(description) || / --?(stdout|diff)\b/.test(command)],
  ['says how output looks', ({ description }) =>
    /^format (the |a )?(output|response|text|manual|in which)|^format .* as (a )?json/i.test(description)],
  ['a filter of text', ({ page }) => /^(bat|col|colrm|column|cut|sed|tr|uniq|awk|seq|hexdump|htmlq|textql|readarray|ipaggmanip|mailinfo|git-column|git-mailinfo|gum|troff|transcode|airdecap-ng|\^)$/.test(page)],
  ['writes its result beside the original', ({ page, command }) =>
    /^(mat2|qpdf)$/.test(page) || (page === 'indent' && (/ -o |\.c \S+\.c /.test(command)))],
  ['a formatter that prints unless it is told to write', ({ page, command }) =>
    /^(autopep8|brittany|clang-format|gofmt|gofumpt|prettier|tldr-lint)$/.test(page) && !/ -(i|w|-in-place|-write)/.test(command)],
  ['holds for this shell alone', ({ command }) =>
    /^(alias|unalias|unhash|unset|shift|hash|trap|zstyle|zle|zformat|env|deactivate|exit)\b/.test(command)],
  ['says that the file stays', ({ description }) => /\bkeep (it|them|the files?)\b/i.test(description)],
  ['when it ends, not what it ends', ({ description }) => /^stop (compilation|processing|after|at|if|when|listing|reading)/i.test(description)],
]; // prettier-ignore

/** Why this destroys nothing whatever its verb; null where it does. */
export const notLost = (item: Described): string | null => NOT_LOST.find(([, holds]) => holds(item))?.[0] ?? null;

const TELLING = /^(-v+|--verbose|--debug|--progress|--json|--reportformat)$/;
const bare = (command: string): string =>
  command
    .split(/\s+/)
    .filter((word) => word !== 'sudo' && !TELLING.test(word))
    .join(' ');

/**
 * Whether this is another example of its page that does more than read, told to say more: `pvremove --verbose /dev/sdb` is
 * described by what it prints, and removes.
 */
export const tellsMoreOf = (item: Described, page: readonly Described[]): boolean =>
  bare(item.command) !== item.command.replace(/^sudo /, '') &&
  page.some((other) => kindOf(other) !== 'reading' && bare(other.command) === bare(item.command));

/** Programs that repair, or write what they counted, as they check: their manuals say so. `-n` alone keeps them from it. */
const repairs = ({ page, command }: Described): boolean =>
  /^(e2fsck|fsck(\..*)?|quotacheck|mkswap)$/.test(page) && !/ -\w*[nNl]\b/.test(command);

/** A description that begins with a reading verb and goes on to change something, or a command that writes a file. */
export const alsoChanges = (item: Described): boolean =>
  repairs(item) ||
  /\b(delete|deleting|uninstall|repair|overwrites?|rebase|write|replace|fix|enroll|kill|hardlinking|extracted|compressed|restored)\b/i.test(
    item.description,
  ) ||
  /[^<]> ?[\w/]/.test(item.command);
