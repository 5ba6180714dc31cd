import { HOLE, type Word } from './command.js';
import type { Reader } from './reading.js';
import { FETCHED } from './outputs.js';
import { readFunctions } from './recipes.js';
import { runInput, unknownStart } from './shells.js';

/** Variables whose value is a command that some program runs. */
const RUN_AS_COMMAND =
  /^(SHELL|BROWSER|LESSOPEN|LESSCLOSE|GIT_EXTERNAL_DIFF|GIT_PROXY_COMMAND|PROMPT_COMMAND|TERMINAL|GREP_PROGRAM|\w*(PAGER|EDITOR)|VISUAL|\w+_(COMMAND|ASKPASS|SSH|RSH|SHELL|CONNECT_PROG))$/;
/** Variables that the shell expands each time it shows a prompt. It runs any `$( )` in them. */
const PROMPTS = /^(PS[0-4]|PROMPT|RPROMPT|RPS1)$/;
/** Variables that name a file that a shell or an interpreter runs when it starts. */
const STARTUP_FILES = /^(BASH_ENV|ENV|ZDOTDIR|PYTHONSTARTUP|RUBYOPT|NODE_REPL_EXTERNAL_MODULE)$/;
/** Variables that give a program more options than its command shows. */
const OPTIONS_OF = new Map([['TAR_OPTIONS', 'tar'], ['ZIPOPT', 'zip'], ['ZIP', 'zip'], ['UNZIP', 'unzip'], ['UNZIPOPT', 'unzip'], ['PERL5DB', 'perl -e']]); // prettier-ignore
/** Variables that name a settings file. Settings may be commands. */
const SETTINGS_FILES = /^(MAKEFILES|RIPGREP_CONFIG_PATH)$/;
/** Variables that name a file that a program rewrites, such as its history or its archive. */
const HISTORIES =
  /^(HISTFILE|TAPE|SQLITE_HISTORY|MYSQL_HISTFILE|PSQL_HISTORY|NODE_REPL_HISTORY|PYTHON_HISTORY|LESSHISTFILE)$/;
/** Variables that load code from a file into every program that starts. */
const PRELOADS = /^(LD_PRELOAD|LD_AUDIT|DYLD_INSERT_LIBRARIES|GIT_EXEC_PATH)$/;
/** Folders that everybody can write to, so a program or library there may not be what its name suggests. */
const ANYBODYS = /^(\/tmp|\/var\/tmp|\/dev\/shm|\.)(\/|$)|^$/;

/**
 * Reads the commands that a variable makes other programs run: `PAGER='rm x' git log`, `PROMPT_COMMAND=…`,
 * `BASH_ENV=<(…)`.
 *
 * @param word the value as the shell would expand it
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
    // Without this, other programs would be expected to take an archive and a file after the options.
    reader.code(
      word,
      { kind: 'none' },
      program.endsWith('-e') ? `${program} ${quoted(text)}` : `${program} ${text} a b`,
    );
    return;
  }
  // The text after a module is code: `-Mstrict;unlink(q(f))`.
  if (name === 'PERL5OPT' && !/^(\s*-?[wWtTCUXMm][\w:,=]*)*\s*$/.test(text)) {
    reader.gap('unresolved.setting', 'PERL5OPT loads code into every Perl program', word);
    return;
  }
  if (SETTINGS_FILES.test(name) && (word.process !== undefined || name === 'MAKEFILES') && text !== '') {
    reader.gap('unresolved.included', `${name} names a file of settings, which may be commands`, word);
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
  // The pager types `+!rm f` when it opens.
  const typed = /^(LESS|MORE)$/.test(name) ? /\+[^!]*!([\s\S]+)/.exec(text)?.[1] : undefined;
  if (typed !== undefined) return void reader.code(word, { kind: 'none' }, typed);
  const body = /^BASH_FUNC_.+%%$/.test(name) ? /^\s*\(\)\s*(\{[\s\S]*\})\s*$/.exec(text)?.[1] : undefined;
  if (body !== undefined) return void reader.code(word, { kind: 'none' }, body);
  if (PRELOADS.test(name)) {
    if (text.split(/[:\s]+/).some((path) => path.includes('/') && !/^\/(usr|lib|lib64|opt|nix|snap)\//.test(path)))
      reader.gap('unresolved.preload', `${name} loads code from a file into every program that starts`, word);
    return;
  }
  if (name === 'PATH') {
    if (ANYBODYS.test(text.split(':', 1)[0] ?? '') && !text.startsWith(HOLE))
      reader.gap(
        'unresolved.path',
        'the first folder of PATH may contain other programs with the names used here',
        word,
      );
    return;
  }
  if (name === 'GIT_INDEX_FILE' && !/^(\/tmp\/|\/var\/tmp\/|\.git\/)/.test(text) && !text.startsWith(HOLE)) {
    reader.gap('unresolved.setting', 'Git overwrites that file with its index', word);
    return;
  }
  if (/^GIT_CONFIG_(COUNT|PARAMETERS|KEY_\d+)$/.test(name)) {
    reader.gap('unresolved.setting', `${name} gives Git settings, which may be commands`, word);
    return;
  }
  // `make` also takes its variables from the environment.
  readFunctions(reader, word, text);
  if (PROMPTS.test(name)) {
    // The text between the substitutions is only displayed.
    if (/\$\(|`/.test(text)) reader.code(word, { kind: 'none' }, `: "${text.replaceAll('"', '\\"')}"`);
    return;
  }
  if (!RUN_AS_COMMAND.test(name)) return;
  // In `PROMPT_COMMAND="history -a; $PROMPT_COMMAND"`, the second part is the earlier value, which does not come from
  // this text.
  const own = text
    .replace(new RegExp(`(^|;)\\s*${HOLE}\\s*(?=;|$)`, 'g'), '')
    .replace(/^\s*\|\|?-?/, '')
    .replace(/^[\s;]+/, '');
  if (own === '' && text !== HOLE) return;
  if (text === HOLE && /^(SHELL|PROMPT_COMMAND)$/.test(name)) return;
  if (text.includes(FETCHED))
    return void runInput(reader, { words: [word], redirections: [], input: { kind: 'fetched' }, ...word }, []);
  const command = own === '' ? text : own;
  // These programs get a file name as their argument.
  const file = /EDITOR$|^VISUAL$|EXTERNAL_DIFF$/.test(name) ? ` ${HOLE}` : '';
  reader.code(word, { kind: 'none' }, command + file);
}

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
