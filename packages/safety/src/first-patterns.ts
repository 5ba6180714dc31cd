/**
 * Destructive patterns that always need a decision before they run. They are matched against the commands after
 * parsing, so quotes, variables and wrappers hide nothing. If a text cannot be parsed, they are matched against the
 * plain text.
 */
const ABOUT_FILES = [
  String.raw`g?rm\s(.*\s)?-(-recursive|-force|[a-zA-Z]*[rRf])`,
  String.raw`g?find\s(.*\s)?-delete\b`,
  String.raw`g?find\s(.*\s)?-(exec|ok)(dir)?\s+(\S*\/)?g?rm\b`,
  String.raw`g?shred\s`,
  String.raw`g?truncate\s(.*\s)?(-\w*s|--size)[\s=]*0`,
  String.raw`git\s(\S+\s){0,6}reset\s(.*\s)?--hard`,
  String.raw`git\s(\S+\s){0,6}clean\s(.*\s)?-(-force|\w*f)`,
  String.raw`git\s(\S+\s){0,6}branch\s(.*\s)?-\w*D`,
  String.raw`chmod\s(.*\s)?\d?777\b`,
];
const ABOUT_MORE = [
  String.raw`dd\s(.*\s)?of=\/dev\/(?!null|zero|stdout|stderr|fd)`,
  String.raw`mkfs\b`,
  String.raw`wipefs\s`,
  String.raw`git\s(\S+\s){0,6}push\s(.*\s)?(--force|-\w*f)`,
  String.raw`p?kill\s(.*\s)?-(9|KILL|SIGKILL)\b`,
  String.raw`chown\s.*\/$`,
];
/** These patterns may appear in the arguments of any program. */
const ANYWHERE = /\bDROP\s+(TABLE|DATABASE)\b|\bTRUNCATE\s+TABLE\b|>\s*\/dev\/(sd|hd|vd|xvd|nvme|mmcblk)/i;

/** Whether a destructive statement appears in the words of a command that runs statements, such as SQL. */
export const dropsTable = (text: string): boolean => ANYWHERE.test(text);

type Where = 'start' | 'anywhere';

const compile = (patterns: readonly string[]): Readonly<Record<Where, RegExp>> => ({
  start: new RegExp(`^(?:${patterns.join('|')})`, 's'),
  // The length is limited, because a hostile text may contain ten thousand beginnings of a pattern, which would make
  // the match slow.
  anywhere: new RegExp(`(?<![\\w.-])(?:${patterns.join('|').replaceAll('.*', '.{0,200}')})`, 'm'),
});

const FILES = compile(ABOUT_FILES);
const MORE = compile(ABOUT_MORE);

/** Whether a pattern about files matches at the start of one command, or anywhere in a text. */
export const asksAboutFiles = (text: string, where: Where): boolean => FILES[where].test(text);

/** Whether a pattern about processes, devices, databases or servers matches at that place. */
export const asksAboutMore = (text: string, where: Where): boolean =>
  MORE[where].test(text) || (where === 'anywhere' && ANYWHERE.test(text));
