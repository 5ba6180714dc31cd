import { HOLE, type Word } from './command.js';
import type { Reader, Run } from './reading.js';

const NOTHING = { kind: 'none' } as const;

/** Options whose value is a command, for programs that mainly do something else. */
const CODE_OPTIONS: Readonly<Record<string, RegExp>> = {
  sort: /^--compress-program$/,
  split: /^--filter$/,
  gsplit: /^--filter$/,
  scp: /^-S$/,
  sftp: /^-S$/,
  rg: /^--(pre|hostname-bin)$/,
  fzf: /^--preview$/,
  sk: /^(--preview|-c|--cmd)$/,
  xterm: /^-e$/,
  konsole: /^-e$/,
  alacritty: /^(-e|--command)$/,
  tcpdump: /^-z$/,
  openvpn: /^--(up|down|ipchange|route-up|tls-verify|client-connect)$/,
  nodemon: /^(-x|--exec)$/,
  chokidar: /^(-c|--command)$/,
  entr: /^-s$/,
  go: /^--?(exec|toolexec|vettool)$/,
  mysql: /^--pager$/,
  mariadb: /^--pager$/,
};
/** An option whose name suggests that its value is a command, for any program. */
const SAYS_COMMAND =
  /^--(?:[\w-]+-)?(?:command|cmd|exec|hook|wrapper|askpass|compress-program|pager|editor|rsh|shell-command)$/;
/** Matches hooks that dpkg and apt run: `-o APT::Update::Pre-Invoke::=rm x`. */
const HOOKS = /(?:Pre|Post)-(?:Invoke|Install-Pkgs)[^=]*=([\s\S]+)$/i;

/**
 * Reads the shell text in options of programs that run it as a side task.
 *
 * @param isInterpreter whether a "command" in the options is in a language of its own
 */
export function readCodeOptions(reader: Reader, run: Run, name: string, isInterpreter = false): void {
  const own = CODE_OPTIONS[name];
  run.words.forEach((word, at) => {
    if (at === 0) return;
    const [, option = '', value] = /^(--?[\w-]+)(?:=([\s\S]*))?$/.exec(word.text) ?? [];
    const hook = HOOKS.exec(word.text)?.[1];
    if (hook !== undefined) reader.code(word, NOTHING, hook.replace(/^["']|["']$/g, ''));
    if (option === '' || !(own?.test(option) === true || (!isInterpreter && SAYS_COMMAND.test(option)))) return;
    const next = value === undefined ? run.words[at + 1] : word;
    if (next !== undefined && !(value === undefined && next.text.startsWith('-')))
      probe(reader, next, `${value ?? next.text}${option === '--pre' ? ` ${HOLE}` : ''}`, own?.test(option) === true);
  });
  if (/^(gcc|cc|g\+\+|c\+\+|clang(\+\+)?)$/.test(name)) {
    const at = run.words.findIndex(({ text }) => text === '-wrapper');
    const wrapper = run.words[at + 1];
    if (at !== -1 && wrapper !== undefined) reader.code(wrapper, NOTHING, wrapper.text.replaceAll(',', ' '));
  }
}

/** Reads text that looks like a command. A part that cannot be read may not be a command at all. */
function probe(reader: Reader, word: Word, text: string, surely: boolean): void {
  if (surely) return void reader.code(word, NOTHING, text);
  if (/\s|^(rm|dd|shred|reboot|poweroff|halt)$/.test(text.trim())) reader.guess(word, text);
}
