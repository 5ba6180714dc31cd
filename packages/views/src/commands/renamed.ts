/**
 * Old spellings and their replacements. They work until the next version. In a replacement, `#` is the next word of the
 * line. `c#` and `g#` put that letter before a bare number. `--name *` is repeated for each remaining word. Words for
 * which there is no mark come last.
 */
export const RENAMED: Readonly<Record<string, string>> = {
  edit: 'set',
  unarchive: 'restore',
  delete: 'remove',
  digest: 'brief --kept',
  changes: 'show # --changes',
  continue: 'resume g#',
  'chat end': 'memory summarize --later c#',
  snapshots: 'undo g# --list',
  schedules: 'schedule list',
  'schedules list': 'schedule list',
  'schedules add': 'schedule add',
  'schedules delete': 'schedule remove',
  sessions: 'chat list',
  'sessions list': 'chat list --kind all',
  'sessions search': 'chat list --kind all',
  'sessions archived': 'chat list --kind all --archived',
  'sessions show': 'show c#',
  'sessions rename': 'rename c#',
  'sessions trust': 'set c# --trust #',
  'sessions folders': 'set c# --folder *',
  'sessions hosts': 'set c# --host *',
  'sessions fork': 'chat fork c#',
  'sessions stop': 'stop c#',
  'sessions end': 'memory summarize --later c#',
  'sessions archive': 'archive c#',
  'sessions unarchive': 'restore c#',
  'sessions rm': 'remove c#',
  'sessions delete': 'remove c#',
  'sessions tools': 'mcp show --chat c#',
  'sessions grants': 'grant list --tools c#',
  'sessions grant': 'grant add c#',
  'sessions revoke': 'grant remove c#',
  'sessions result': 'output c#',
  'grants list': 'grant list',
  'grants revoke': 'grant remove',
  'sandbox show': 'show # --access',
  'sandbox carry-over': 'set # --carry-over #',
  'sandbox network': 'set # --network *',
  'secret give': 'set # --secret *',
  'files ls': 'file list',
  'files pull': 'file pull',
  'files push': 'file push',
  'runbook check': 'runbook import --dry-run',
  'runbook proposals': 'runbook list --proposed',
  'runbook proposal': 'runbook show p#',
  'runbook adopt': 'runbook accept p#',
  'runbook drop': 'runbook reject',
  'event sources': 'event source list',
  'event source': 'event source add',
  'event remove': 'event source remove',
  'event rules': 'event rule list',
  'event rule': 'event rule add',
  'event drop': 'event rule remove',
  'event test': 'event replay --dry-run',
  'host prelude': 'host set # --before #',
  'safety patterns': 'safety list',
  'memory add': 'remember --kind #',
  'memory search': 'memory list',
  'memory edit': 'memory set',
  'memory forget': 'memory remove',
  'memory clear': 'memory remove --all',
  'memory prune': 'memory remove --older-than #',
  'memory why': 'memory show',
  'memory documents': 'memory document list',
  'memory read': 'memory document show',
  'memory write': 'memory document add',
  'memory compact': 'memory document compact',
  'memory archive': 'memory document add --archive',
  'memory document archive': 'memory document add --archive',
  'kb query': 'kb list',
  'kb read': 'kb show',
  'kb remember': 'kb add',
  'kb delete': 'kb remove',
  'kb curated': 'kb curate',
  'kb lint': 'kb doctor --lint',
  'kb index': 'kb sync --files',
  'kb provision': 'kb init --machine',
  models: 'model list',
  health: 'doctor --health',
  'image rebuild': 'image add',
  'kb status': 'kb doctor',
  'mcp connect': 'mcp add',
  'mcp disconnect': 'mcp remove',
  'mcp tool': 'mcp show',
  'mcp tools': 'mcp show',
  'mcp resource': 'mcp show --resource',
  'mcp resources': 'mcp show --resource',
  'mcp prompt': 'mcp show --prompt',
  'mcp prompts': 'mcp show --prompt',
  'token create': 'token add',
  'token revoke': 'token remove',
  'config reference': 'config show --defaults',
  'config list': 'config show --defaults',
  'config diff': 'config apply --dry-run',
  restore: 'backup restore',
};

export interface Renamed {
  readonly words: readonly string[];
  /** The typed words, and the current spelling. */
  readonly from: string;
  readonly to: string;
}

/** Returns the current spelling of old words; null if they are current. */
export function renamed(
  words: readonly string[],
  isKnown: (name: string) => boolean,
  table: Readonly<Record<string, string>> = RENAMED,
): Renamed | null {
  for (const count of [3, 2, 1]) {
    const from = words.slice(0, count).join(' ');
    const to = Object.hasOwn(table, from) ? table[from] : undefined;
    if (to === undefined || words.length < count) continue;
    const rest = words.slice(count);
    if (isKnown([from, rest[0]].join(' ')) || (isKnown(from) && !(from === 'restore' && isFile(rest)))) return null;
    const made = filled(to.split(' '), rest);
    return { words: made, from, to: to.replaceAll(/ (?:[a-z]?#|\*).*$/g, '') };
  }
  return null;
}

/** Whether the words name a backup file. `aish restore` once read a backup. Now it takes `g4` or `c12`. */
const isFile = ([word = '']: readonly string[]): boolean => /[./]/.test(word);

const SERVER_OPTION = /^--(?:url|token-file|profile)$/;

function filled(pattern: readonly string[], rest: readonly string[]): readonly string[] {
  const left = [...rest];
  const next = (): readonly string[] => {
    const at = left.findIndex((word, index) => !word.startsWith('-') && !SERVER_OPTION.test(left[index - 1] ?? ''));
    return at < 0 ? [] : left.splice(at, 1);
  };
  const made: string[] = [];
  for (const [at, part] of pattern.entries()) {
    const [, letter] = /^([a-z]?)#$/.exec(part) ?? [];
    if (letter !== undefined) made.push(...next().map((word) => (/^\d+$/.test(word) ? letter + word : word)));
    else if (part === '*') {
      const option = made.pop() ?? '';
      for (let [word] = next(); word !== undefined; [word] = next()) made.push(option, word);
    } else if (part.startsWith('--') && pattern[at + 1] === '#' && !left.some((word) => !word.startsWith('-'))) break;
    else made.push(part);
  }
  return [...made, ...left];
}
