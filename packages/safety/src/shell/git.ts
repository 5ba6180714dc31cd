import { HOLE, isFilled, joined, type Input, type Word } from './command.js';
import type { Reader, Run } from './reading.js';

const NOTHING: Input = { kind: 'none' };

/** Settings of git whose value is a command. */
const RUN_BY_GIT =
  /^(core\.(pager|editor|sshcommand|askpass|fsmonitor|gitproxy|alternaterefscommand)|interactive\.difffilter|submodule\..+\.update|sequence\.editor|diff\.external|credential\.helper|gpg\.program|pager\.[\w-]+|(diff|merge|filter|difftool|mergetool|browser|man|trailer|tar|guitool|uploadpack)\.([\w.-]+\.)?(textconv|driver|clean|smudge|process|cmd|command|packobjectshook)|remote\..+\.(uploadpack|receivepack))$/i;
/** Values of these settings that only select a built-in behaviour of git. */
const OWN_WAY = /^(true|false|cat|less( -\S+)?|more|store|cache.*|gzip( -\S+)*)?$/;
/** Options whose value is a command, each with the subcommands that have it. */
const CODE_OPTIONS: readonly (readonly [RegExp, RegExp])[] = [
  [/^(-x|--extcmd)$/, /^difftool$/],
  [/^(-x|--exec|--tree-filter|--index-filter|--msg-filter|--env-filter|--commit-filter)$/, /^(rebase|filter-branch)$/],
  // Git accepts abbreviations of these options.
  [/^(--upl[\w-]*|--exec|--rece[\w-]*)$/, /^(fetch|pull|push|clone|ls-remote|fetch-pack|send-pack|archive)$/],
  [/^-u$/, /^clone$/],
  [/^(-O|--open(-files-in-pager|-files|-file|-f)?)$/, /^grep$/],
];

/** Reads the commands that git runs as a side task, from settings, options, addresses and aliases. */
export function git(reader: Reader, run: Run): Input {
  const output = reader.emit(run);
  const texts = run.words.map(({ text }) => text);
  if (texts.some((text) => /^--exec-path=(\/tmp|\/var\/tmp|\/dev\/shm|\.)/.test(text)))
    reader.gap('unresolved.path', 'Git runs the programs in that folder instead of its own', run);
  if (texts.some((text) => text.startsWith('--config-env=')))
    reader.gap('unresolved.setting', 'Git gets a setting from a variable, which may be a command', run);
  if (texts.includes('clone')) cloned(reader, texts.slice(texts.indexOf('clone') + 1));
  const verb = subcommandOf(texts);
  run.words.forEach((word, at) => {
    readSetting(reader, run.words, word, at);
    readOption(reader, run.words, word, at, verb);
    const address = /^ext::([\s\S]+)$/.exec(word.text.replace(/^--\w+=/, ''))?.[1];
    if (address !== undefined) reader.code(word, NOTHING, address);
  });
  readInner(reader, run, texts);
  return output;
}

/** Returns the first word that is not an option of git itself. */
function subcommandOf(texts: readonly string[]): string {
  const takes = /^(-c|-C|--git-dir|--work-tree|--namespace|--exec-path|--config-env)$/;
  return texts.find((text, at) => at > 0 && !text.startsWith('-') && !takes.test(texts[at - 1] ?? '')) ?? '';
}

/** Reads settings: `git -c alias.x='!rm y'`, `git config core.editor 'rm x'`. */
function readSetting(reader: Reader, words: readonly Word[], word: Word, at: number): void {
  const next = words[at + 1];
  if (next === undefined) return;
  const isConfig = words.some(({ text }) => text === 'config');
  if (isConfig && /^alias\.[\w-]+$/.test(word.text) && next.text.startsWith('!'))
    reader.code(next, NOTHING, next.text.slice(1));
  if (isConfig && RUN_BY_GIT.test(word.text)) readProgram(reader, next, next.text);
  const instead = /^url\.ext::([\s\S]+)\.(?:push)?insteadof/i.exec(word.text === '-c' ? next.text : word.text);
  if (instead?.[1] !== undefined) reader.code(word, NOTHING, instead[1]);
  const [, name = '', value = ''] = /^([^=]+)=([\s\S]+)$/.exec(next.text) ?? [];
  if (word.text !== '-c' || name === '') return;
  if (/^help\.autocorrect$/i.test(name) && !/^(0|false|never|show|prompt)$/.test(value))
    reader.gap('unresolved.setting', 'Git is set to run its guess for a mistyped command', next);
  if (
    /^(include|includeif\..+)\.path$/i.test(name) ||
    (/^core\.hookspath$/i.test(name) && !/^\/dev\/null$/.test(value))
  )
    reader.gap('unresolved.setting', 'Git runs commands from that file or folder', next);
  if (/^remote\..+\.(push|mirror)$/i.test(name))
    reader.code(next, NOTHING, name.endsWith('push') ? `git push x ${value}` : 'git push --mirror x');
  if (name.startsWith('alias.')) readAlias(reader, words, next, name.slice('alias.'.length), value);
  else if (RUN_BY_GIT.test(name)) readProgram(reader, next, value);
}

/** Reads an alias. The words after the alias in the same command belong to it. */
function readAlias(reader: Reader, words: readonly Word[], word: Word, alias: string, value: string): void {
  const at = words.findIndex(({ text }) => text === alias);
  const rest = at === -1 ? '' : words.slice(at + 1).map(({ text }) => ` '${text.replaceAll("'", `'\\''`)}'`).join(''); // prettier-ignore
  reader.code(word, NOTHING, (value.startsWith('!') ? value.slice(1) : `git ${value}`) + rest);
}

/** Reads a program that git runs. If the value is a single word, git appends a file name as its argument. */
function readProgram(reader: Reader, word: Word, value: string): void {
  if (OWN_WAY.test(value)) return;
  const command = value.replace(/^!/, '');
  reader.code(word, { kind: 'opaque' }, /\s/.test(command) ? command : `${command} ${HOLE}`);
}

function readOption(reader: Reader, words: readonly Word[], word: Word, at: number, verb: string): void {
  const [, option = '', value] = /^(--[\w-]+|-[a-zA-Z])(?:=?([\s\S]+))?$/.exec(word.text) ?? [];
  if (option === '' || at === 0) return;
  for (const [options, verbs] of CODE_OPTIONS) {
    if (!verbs.test(verb) || !options.test(option)) continue;
    // The pager of `git grep` is attached to the option itself, so the next word is not its value.
    const code = value !== undefined ? { ...word, text: value } : verb === 'grep' ? undefined : words[at + 1];
    // git calls this program with the path of the repository as its argument.
    const folder = /^--(upl|rece)/.test(option) || verb === 'clone' ? ` ${HOLE}` : '';
    if (code !== undefined) reader.code(code, NOTHING, code.text + folder);
  }
}

/** Reads the command in `git submodule foreach x` or `git bisect run x`. */
function readInner(reader: Reader, run: Run, texts: readonly string[]): void {
  const each = texts.indexOf('foreach');
  const bisect = texts.indexOf('bisect');
  const rest = each !== -1 && texts.includes('submodule') ? run.words.slice(each + 1) : [];
  const command = rest.filter(({ text }, index) => !(index === 0 && text.startsWith('-')));
  if (isFilled(command)) reader.code(joined(command), NOTHING);
  if (bisect !== -1 && texts[bisect + 1] === 'run')
    reader.run({ ...run, redirections: [], words: run.words.slice(bisect + 2) });
  const loop = texts.indexOf('for-each-repo');
  const [first] = run.words;
  if (loop !== -1 && first !== undefined)
    reader.run({
      ...run,
      redirections: [],
      words: [first, ...run.words.slice(loop + 1).filter(({ text }) => !/^--(config|keep-going)/.test(text))],
    });
}

export const lastPart = (url: string): string =>
  url
    .replace(/[?#].*$/, '')
    .split('/')
    .at(-1) ?? url;

/** Records a clone, which counts as a download. Its folder is stored with a slash at the end. */
export function cloned(reader: Reader, texts: readonly string[]): void {
  reader.scope.cloned = true;
  const at = texts.findIndex((text) => !text.startsWith('-') && /[/:]/.test(text));
  const [address, folder] = at === -1 ? texts : texts.slice(at);
  const name = folder !== undefined && !folder.startsWith('-') ? folder : lastPart(address ?? '').replace(/\.git$/, '');
  if (name !== '' && name !== '.') reader.scope.fetched.add(`${name.replace(/\/+$/, '')}/`);
}
