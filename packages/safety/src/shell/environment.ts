import { HOLE, type Word } from './command.js';
import type { Reader } from './reading.js';
import { FETCHED } from './outputs.js';
import { readFunctions } from './recipes.js';
import { runInput, unknownStart } from './shells.js';

/** Their value is a command that some program runs. */
const RUN_AS_COMMAND =
  /^(SHELL|BROWSER|LESSOPEN|LESSCLOSE|GIT_EXTERNAL_DIFF|GIT_PROXY_COMMAND|PROMPT_COMMAND|TERMINAL|GREP_PROGRAM|\w*(PAGER|EDITOR)|VISUAL|\w+_(COMMAND|ASKPASS|SSH|RSH|SHELL|CONNECT_PROG))$/;
/** The shell expands them, and runs any `$( )` in them, each time it shows a prompt. */
const PROMPTS = /^(PS[0-4]|PROMPT|RPROMPT|RPS1)$/;
/** They name a file that a shell or an interpreter runs when it starts. */
const STARTUP_FILES = /^(BASH_ENV|ENV|ZDOTDIR|PYTHONSTARTUP|RUBYOPT|NODE_REPL_EXTERNAL_MODULE)$/;
/** They give a program options that do not stand in its command. */
const OPTIONS_OF = new Map([['TAR_OPTIONS', 'tar'], ['ZIPOPT', 'zip'], ['ZIP', 'zip'], ['UNZIP', 'unzip'], ['UNZIPOPT', 'unzip'], ['PERL5DB', 'perl -e']]); // prettier-ignore
/** They name a file of settings, and settings may be commands. */
const SETTINGS_FILES = /^(MAKEFILES|RIPGREP_CONFIG_PATH)$/;
/** They name a file that a program rewrites: with what was typed, or as its archive. */
const HISTORIES =
  /^(HISTFILE|TAPE|SQLITE_HISTORY|MYSQL_HISTFILE|PSQL_HISTORY|NODE_REPL_HISTORY|PYTHON_HISTORY|LESSHISTFILE)$/;
/** They put code of a file into every program that starts. */
const PRELOADS = /^(LD_PRELOAD|LD_AUDIT|DYLD_INSERT_LIBRARIES|GIT_EXEC_PATH)$/;
/** Everybody may write there, so a program or library there is not the one that its name says. */
const ANYBODYS = /^(\/tmp|\/var\/tmp|\/dev\/shm|\.)(\/|$)|^$/;

/**
 * Reads what a variable makes other programs run: `PAGER='rm x' git log`, `PROMPT_COMMAND=…`, `BASH_ENV=<(…)`.
 * @param word the value as the shell would make it.
 */
export function runVariable(reader: Reader, name: string, word: Word): void {
  const { text, process } = word;
  if (STARTUP_FILES.test(name)) {
    const written = reader.written.get(text);
    if (process !== undefined) runInput(reader, { words: [word], redirections: [], input: process.input, ...word }, []);
    else if (written !== undefined) reader.code(word, { kind: 'none' }, written.text);
    else if (name === 'BASH_ENV' ? text !== '' : name === 'ENV' && /^(~|\.{0,2})\/./.test(text))
      unknownStart(reader, word);
    return;
  }
  const program = OPTIONS_OF.get(name);
  if (program !== undefined) {
    // Of other programs, an archive and a file would follow.
    reader.code(
      word,
      { kind: 'none' },
      program.endsWith('-e') ? `${program} ${quoted(text)}` : `${program} ${text} a b`,
    );
    return;
  }
  // `-Mstrict;unlink(q(f))`: what stands behind a module is code.
  if (name === 'PERL5OPT' && !/^(\s*-?[wWtTCUXMm][\w:,=]*)*\s*$/.test(text)) {
    reader.gap('unresolved.setting', 'PERL5OPT puts code into every program of Perl that starts', word);
    return;
  }
  if (SETTINGS_FILES.test(name) && (word.process !== undefined || name === 'MAKEFILES') && text !== '') {
    reader.gap('unresolved.included', `${name} names a file of settings, and they may be commands`, word);
    return;
  }
  if (HISTORIES.test(name) && !/^(-|\/dev\/null)?$/.test(text)) {
    reader.code(word, { kind: 'none' }, `: > ${quoted(text)}`);
    return;
  }
  if (name.startsWith('GIT_TRACE') && /^[~/]/.test(text)) {
    reader.code(word, { kind: 'none' }, `: >> ${text}`);
    return;
  }
  // `+!rm f` is typed into the pager when it opens.
  const typed = /^(LESS|MORE)$/.test(name) ? /\+[^!]*!([\s\S]+)/.exec(text)?.[1] : undefined;
  if (typed !== undefined) return void reader.code(word, { kind: 'none' }, typed);
  const body = /^BASH_FUNC_.+%%$/.test(name) ? /^\s*\(\)\s*(\{[\s\S]*\})\s*$/.exec(text)?.[1] : undefined;
  if (body !== undefined) return void reader.code(word, { kind: 'none' }, body);
  if (PRELOADS.test(name)) {
    if (text.split(/[:\s]+/).some((path) => path.includes('/') && !/^\/(usr|lib|lib64|opt|nix|snap)\//.test(path)))
      reader.gap('unresolved.preload', `${name} puts code of a file into every program that starts`, word);
    return;
  }
  if (name === 'PATH') {
    if (ANYBODYS.test(text.split(':', 1)[0] ?? '') && !text.startsWith(HOLE))
      reader.gap('unresolved.path', 'the first folder of PATH may hold other programs under the names used here', word);
    return;
  }
  if (name === 'GIT_INDEX_FILE' && !/^(\/tmp\/|\/var\/tmp\/|\.git\/)/.test(text) && !text.startsWith(HOLE)) {
    reader.gap('unresolved.setting', 'git writes its index over that file', word);
    return;
  }
  if (/^GIT_CONFIG_(COUNT|PARAMETERS|KEY_\d+)$/.test(name)) {
    reader.gap('unresolved.setting', `${name} gives git settings, and they may be commands`, word);
    return;
  }
  // `make` takes its variables from the environment too.
  readFunctions(reader, word, text);
  if (PROMPTS.test(name)) {
    // What stands between the substitutions is only shown.
    if (/\$\(|`/.test(text)) reader.code(word, { kind: 'none' }, `: "${text.replaceAll('"', '\\"')}"`);
    return;
  }
  if (!RUN_AS_COMMAND.test(name)) return;
  // `PROMPT_COMMAND="history -a; $PROMPT_COMMAND"`: what it was before is not this text's doing.
  const own = text
    .replace(new RegExp(`(^|;)\\s*${HOLE}\\s*(?=;|$)`, 'g'), '')
    .replace(/^\s*\|\|?-?/, '')
    .replace(/^[\s;]+/, '');
  if (own === '' && text !== HOLE) return;
  if (text === HOLE && /^(SHELL|PROMPT_COMMAND)$/.test(name)) return;
  if (text.includes(FETCHED))
    return void runInput(reader, { words: [word], redirections: [], input: { kind: 'fetched' }, ...word }, []);
  const command = own === '' ? text : own;
  // These are given a file.
  const file = /EDITOR$|^VISUAL$|EXTERNAL_DIFF$/.test(name) ? ` ${HOLE}` : '';
  reader.code(word, { kind: 'none' }, command + file);
}

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
