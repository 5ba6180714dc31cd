import type { Classification } from '@aish/contracts/safety';
import { classify, read } from '../classify.js';
import { onlyReads } from '../known-read-only.js';
import { normalized } from '../named-paths.js';
import { argumentsOf } from '../rules/arguments.js';
import { isSink, isSystem } from '../rules/paths.js';
import { HOLE, NEW, type Command } from '../shell/command.js';
import { SHELLS } from '../shell/shells.js';
import { WRAPPERS } from '../shell/wrappers.js';

const PATHS_MAX = 16;
/** Rules that object to overwriting a file. They do not apply if the file does not exist. */
const OVERWRITES = new Set(['redirect.overwrite', 'redirect.tee', 'backup.delete']);
/** Wrappers that change neither the machine, nor the folder, nor the shell. */
const PLAIN_WRAPPERS = new Set(['sudo', 'timeout', 'nice', 'ionice', 'time']);
/** Parts of paths whose files a program runs or reads without being told to. */
const STARTS =
  /(^|\/)(\.[^/]|\.\.?(\/|$)|(s?bin|hooks|cron[^/]*|init\.d|systemd|autostart|Launch(Agents|Daemons)|[^/]*\.d)\/|[^/]*override[^/]*\.ya?ml$|(nologin|GNUmakefile|web\.config)$)|\.(service|timer|socket|path|mount|automount|desktop|rules|pth|py|plist|php\d?|phtml|cgi|jsp|aspx?)$/;
/**
 * Names of alternative files, of which a program uses only one. A new file could replace an existing one with another
 * name.
 */
const TWINS: readonly (readonly string[])[] = [
  ['compose.yaml', 'compose.yml', 'docker-compose.yml', 'docker-compose.yaml'],
  ['makefile', 'Makefile'],
];
/** A path with only letters that no shell changes. It begins neither like an option nor like zsh's `=name`. */
const PLAIN = /^(~\/)?(?![-=~])[\w./@:+=, -]+$/;
const RUN = /^\/(var\/)?run(\/|$)/;

/** A path that a program creates. */
interface Made {
  readonly path: string;
  /** Whether the path is a folder that the program fills. */
  readonly isFolder: boolean;
  /** Whether the program may create a link at or below the path, which a later command would follow. */
  readonly mayLink: boolean;
}

/**
 * Returns the paths that this command line creates on a host, if it otherwise only reads. It destroys nothing if none
 * of these paths exists yet. A path that ends with `/` is a folder, which may exist if it is empty. Returns null if the
 * words do not show which paths are created, or if something could read or run a new file by itself. Pure.
 */
export function createsOnHost(command: string): readonly string[] | null {
  const reading = read(command);
  if ('verdict' in reading || reading.gaps.length > 0 || reading.inherits || reading.environment.length > 0)
    return null;
  // noclobber does not prevent `<>` from overwriting a file, and a quoted `~` is a plain name.
  if (command.includes('<>') || /['"\\]~/.test(command) || !onlyOverwrites(classify(command))) return null;
  const loops = /\b(for|while|until|select)\b/.test(command);
  let folders = [''];
  const made: Made[] = [];
  for (const each of reading.commands) {
    if (each.name === 'cd') {
      // Inside a loop, the next iteration would run `cd` relative to the folder that the previous one entered. At the
      // start of the line, `cd` runs only once.
      const isFirst = each === reading.commands[0] && /^\s*cd\s/.test(command);
      const entered = loops && !isFirst ? null : enteredBy(each, folders);
      if (entered === null) return null;
      folders = entered;
      continue;
    }
    const paths = madeBy(each);
    if (paths === null) return null;
    // If `cd` fails, the next command may run in the previous folder.
    made.push(...paths.flatMap((each) => folders.map((folder) => ({ ...each, path: within(folder, each.path) }))));
  }
  const isRepeated = new Set(reading.commands.flatMap(truncated)).size < reading.commands.flatMap(truncated).length;
  if (isRepeated || made.some((each, at) => each.mayLink && made.some((other, n) => n !== at && isBelow(other, each))))
    return null;
  const all = [...new Set(made.flatMap(({ path, isFolder }) => (isFolder ? [`${path}/`] : withTwins(path))))];
  return all.length <= PATHS_MAX && all.every(isQuiet) ? all : null;
}

function withTwins(path: string): readonly string[] {
  const [folder, name] = [path.slice(0, path.lastIndexOf('/') + 1), path.slice(path.lastIndexOf('/') + 1)];
  const twins = TWINS.find((names) => names.includes(name)) ?? [];
  return [path, ...twins.filter((twin) => twin !== name).map((twin) => `${folder}${twin}`)];
}

const isBelow = ({ path }: Made, { path: folder }: Made): boolean => `${path}/`.startsWith(`${folder}/`);

/** Whether every objection is only that something may be overwritten. */
export function onlyOverwrites({ verdict, ruleId, others = [] }: Classification): boolean {
  const objections = [...(verdict === 'safe' ? [] : [{ ruleId }]), ...others];
  return objections.every((each) => each.ruleId !== null && OVERWRITES.has(each.ruleId));
}

function madeBy(c: Command): readonly Made[] | null {
  const written = c.redirections.filter(({ operator, target }) => operator.includes('>') && !isDescriptor(target.text));
  if (written.some(({ operator, target }) => !/^(>|>>|&>|&>>)$/.test(operator) || !isLiteral(target))) return null;
  const files = written.filter(({ target }) => !isSink(target.text)).map(({ target }) => file(target.text));
  const bare = { ...c, redirections: c.redirections.filter((each) => !written.includes(each)) };
  if (SHELLS.has(c.name)) return null;
  // The reading also contains the command that sudo runs, and that command gets the input.
  if (c.name === 'sudo' && !isPlainSudo(c.args)) return null;
  if (WRAPPERS.has(c.name))
    return PLAIN_WRAPPERS.has(c.name) && onlyReads({ ...bare, input: { kind: 'none' } }) ? files : null;
  if (onlyReads(bare) && !changesShell(c)) return files;
  const own = c.path.includes('/') ? null : madeByProgram(c);
  return own === null ? null : [...files, ...own];
}

/** Excludes `sudo` for another user or with a login shell, because the command could then start in another folder. */
function isPlainSudo(args: readonly string[]): boolean {
  const command = args.findIndex((word) => !word.startsWith('-'));
  return args.slice(0, Math.max(0, command)).every((word) => /^-[nEk]+$/.test(word));
}

/** Returns the paths that a program creates, if it never overwrites anything. */
function madeByProgram(c: Command): readonly Made[] | null {
  const { name, args, words } = c;
  if (words.some((word) => !isLiteral(word))) return null;
  const { operands } = argumentsOf(c);
  const options = args.filter((word) => /^-./.test(word));
  const takes = (pattern: RegExp): boolean => options.every((word) => pattern.test(word));
  switch (name) {
    case 'umask':
      // The mask must not make new files writable for other users.
      return args.length === 1 && /^0?[0-7]?[2367][2367]$/.test(args[0] ?? '') ? [] : null;
    case 'mkdir':
      // With these options `mkdir` does not change an existing folder. The path must still be checked.
      return takes(/^-(p|v|-parents|-verbose)$/) && operands.every((path) => isQuiet(path) && !RUN.test(path))
        ? []
        : null;
    case 'tee':
      return takes(/^(-a|--append)$/) ? args.filter((word) => !/^-./.test(word)).map(file) : null;
    case 'touch':
      return options.length === 0 ? args.map(file) : null;
    case 'cp':
      return takes(/^-[aprRdv]+$/) && operands.length === 2 && !isSystem(operands[0] ?? '')
        ? [{ ...file(operands[1] ?? ''), mayLink: true }]
        : null;
    case 'tar':
      return filledByTar(args);
    case 'restic':
      return filledByRestic(args, operands);
    case 'borg':
      return takes(/^(-v|--verbose|--list|--info)$/) && operands[0] === 'extract' && operands.length > 2
        ? filledByBorg(operands.slice(2))
        : null;
    default:
      return null;
  }
}

/**
 * Returns the folder that `tar -x… -f FILE -C FOLDER` fills. Options must begin with a dash. An archive that goes to
 * standard output creates nothing.
 */
function filledByTar(args: readonly string[]): readonly Made[] | null {
  // The first word may contain options without a dash.
  if (args[0]?.startsWith('-') !== true) return null;
  const rest = [...args];
  let folder: string | null = null;
  let mode = '';
  let archive: string | null = null;
  const members: string[] = [];
  for (let word = rest.shift(); word !== undefined; word = rest.shift()) {
    if (word === '-C') {
      if (folder !== null) return null;
      folder = rest.shift() ?? null;
    } else if (/^-[cxvzjJp]*f?$/.test(word) && word !== '-') {
      mode += word.replaceAll(/[^cx]/g, '');
      if (word.endsWith('f')) archive = rest.shift() ?? null;
    } else members.push(word);
  }
  if (members.some((word) => word.startsWith('-'))) return null;
  if (mode === 'c' && archive === null) return [];
  const isExtracted = mode === 'x' && members.length === 0;
  return isExtracted && folder !== null && /^[/~]/.test(folder) ? [filled(folder)] : null;
}

function filledByRestic(args: readonly string[], operands: readonly string[]): readonly Made[] | null {
  const known = /^(-r|--repo|-p|--password-file|--tag|--host|-H|--path|--target|-t|--include|--exclude|-v|-q)$/;
  if (!operands.includes('restore') || args.some((word) => word.startsWith('-') && !known.test(word))) return null;
  const targets = args.flatMap((word, at) => (word === '--target' || word === '-t' ? [args[at + 1] ?? ''] : []));
  const [folder = ''] = targets;
  return targets.length === 1 && folder !== '' ? [filled(folder)] : null;
}

/** Borg reads `re:` and similar prefixes as patterns, and an absolute path as one below the folder. */
function filledByBorg(paths: readonly string[]): readonly Made[] | null {
  return paths.every((path) => /^\w[\w.@+=, /-]*$/.test(path))
    ? paths.map((path) => ({ ...file(path), mayLink: true }))
    : null;
}

function enteredBy({ args, words, redirections }: Command, before: readonly string[]): string[] | null {
  const [to] = args;
  if (args.length !== 1 || to === undefined || redirections.length > 0 || !words.every(isLiteral)) return null;
  if (to.startsWith('-') || !PLAIN.test(to)) return null;
  const folders = [...new Set([...before, ...before.map((folder) => within(folder, to))])];
  return folders.length <= 4 ? folders : null;
}

/** `set +C` would allow overwriting again, and `trap` or `alias` change the meaning of later words. */
const changesShell = ({ name, args }: Command): boolean =>
  /^(set|shopt|trap|alias|unalias|pushd|popd|exec|eval|export|declare|typeset|local|hash)$/.test(name) &&
  args.length > 0;

const file = (path: string): Made => ({ path, isFolder: false, mayLink: false });
const filled = (path: string): Made => ({ path, isFolder: true, mayLink: true });
const isDescriptor = (target: string): boolean => /^(\d+-?|-)$/.test(target);
const isLiteral = ({ text, glob }: { readonly text: string; readonly glob: boolean }): boolean =>
  !glob && !text.includes(HOLE) && !text.includes(NEW);
const within = (folder: string, path: string): string =>
  /^[/~]/.test(path) || folder === '' ? path.replace(/\/+$/, '') || '/' : normalized(`${folder}/${path}`);
const truncated = ({ redirections }: Command): readonly string[] =>
  redirections.flatMap(({ operator, target }) =>
    /^&?>$/.test(operator) && !isSink(target.text) && !isDescriptor(target.text) ? [target.text] : [],
  );

/** Whether nothing reads or runs a new file at this path until somebody uses it. */
function isQuiet(path: string): boolean {
  const plain = path.replace(/^~\//, '').replace(/\/+$/, '');
  // `/./etc` and `//etc` are other spellings of the system folder `/etc`.
  if (/(^|\/)\.?\//.test(plain.slice(1)) || RUN.test(plain)) return false;
  return PLAIN.test(path) && plain !== '' && !isSystem(plain) && !STARTS.test(plain);
}
