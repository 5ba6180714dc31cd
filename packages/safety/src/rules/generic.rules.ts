import type { Command, Word } from '../shell/command.js';
import { operandWords } from './arguments.js';
import { isDestructiveScript, isDestructiveWord } from './destructive-words.js';
import { FLAGS, TASKS } from './generic-tasks.rules.js';
import { programOf } from './programs.js';
import { READ_ONLY_TOOLS } from './read-only.js';
import type { Rule } from './rule.js';

/**
 * Matches an option that begins or ends with a destructive word and is not about time or manner: `--clear-cache`,
 * `--cluster-reset`.
 */
const COMPOUND_FLAG =
  /^--?(?!no-|skip-|dont-|never-|without-|keep-|list-|show-|is-|on-|if-|pre-|post-|test-|allow-|can-)(?:(?:delete|remove|purge|wipe|erase|destroy|drop|truncate|uninstall|clear|clean|flush|prune|kill|stop|reset|shutdown|overwrite|expire|unregister|revoke|replace|terminate|unlink|unmount|umount|undo|revert|cancel|forget|deactivate|unset|deregister|dismiss)[-_][a-z_-]+|[a-z]+-(?:delete|remove|erase)-[a-z-]+|[a-z]+(?:-[a-z]+)*-(?:delete|remove|purge|wipe|erase|destroy|truncate|uninstall|reset|overwrite|prune|flush|shutdown|reboot|restart|unmount|unregister|unset|revoke|logout|disconnect))$/;
const ABOUT_WHEN =
  /-(every|after|before|datetime|position|time|timeout|interval|signal|policy|on-\w+|on|if-\w+|if|when|age|delay|limit|threshold|level|rate|period|steps|epochs|seconds|days|pattern|words?|chars?|mode|strategy|count|file|path|dir|url|id|name|method|words)$/;
const DRY =
  /^(--dry-run|--dryrun|--dry|--offline-check|--simulate|--what-if|--whatif|--check|--preview|--plan|--noop|--no-op|--pretend|-WhatIf|--list|--show|--explain|--diff|--validate|--print-only|--just-print|--set-exit-if-changed)(=(?!false|none|0).*)?$/i;
export const GENERIC: readonly Rule[] = [
  TASKS,
  {
    id: 'generic.destructive-word',
    title: 'a program is told to delete, stop or reset something',
    why: 'no rule knows this program, but its arguments suggest destruction',
    severity: 'medium',
    matches: (c) => (isQuiet(c) ? false : wordOf(c)),
    stops: [
      'mytool delete thing',
      'appctl --purge',
      './server stop',
      'foo reset --hard',
      'pveproxyctl restart',
      './cleanup.sh',
      'acme-cli cluster destroy x',
      'tool --delete-all x',
      'tool -deleteUser bob',
      'tool --clear-old --revert',
      'tool rmuser bob',
      'tool fmt a.x',
      'tool stopall',
      'acme-unmount x',
    ],
    passes: [
      'mytool --build',
      'mytool list deleted',
      'mytool help delete',
      'ls delete',
      'grep remove file',
      'echo stop',
      'mytool delete x --dry-run',
      'man rm',
      'apt-cache search remove',
      './run.sh',
      'xtool -strftime format',
      'mytool rmse',
      'mytool delta',
      'mytool model',
      'mytool fmt --check',
      'mytool fmt -',
    ],
  },
];

/** Whether destructive words in the arguments of this program are only names. */
export const isQuiet = (c: Command): boolean =>
  c.name === '' ||
  (c.name === 'kubectl' && isPlugin(c)
    ? false
    : READ_ONLY_TOOLS.has(c.name) ||
      QUIET.has(c.name) ||
      COVERED.has(c.name) ||
      programOf(c.name)?.facts.complete === true);
/**
 * Whether the subcommand is a plugin, which is a program of its own that the rules of kubectl do not know: `kubectl
 * argo rollouts abort`.
 */
const isPlugin = (c: Command): boolean =>
  !/^(get|describe|logs|exec|cp|apply|create|delete|edit|patch|replace|scale|rollout|run|expose|set|explain|autoscale|certificate|cluster-info|top|cordon|uncordon|drain|taint|attach|port-forward|proxy|auth|debug|events|diff|kustomize|wait|label|annotate|completion|alpha|api-resources|api-versions|config|plugin|version|options|help)?$/.test(
    operandWords(c)[0]?.text ?? '',
  );
/** Programs whose subcommands are all known to the rules. Any use that their rules do not stop should pass. */
const COVERED = new Set(
  'docker podman nerdctl docker-compose podman-compose kubectl oc k kubecolor helm terraform tofu aws apt apt-get dpkg rpm linkerd http https xh xhs curl wget terraform'.split(
    ' ',
  ),
);
/** Programs that make or run something, so that destructive words in their arguments are only names. */
const QUIET = new Set(
  'pr cd mkdir touch say espeak espeak-ng spd-say figlet toilet cowsay banner lolcat xclip xsel wl-copy pbcopy qrencode zenity dialog whiptail kdialog yad gum fzf osd_cat ln cp mv install gcc g++ cc clang clang++ rustc javac java kotlinc scalac tsc esbuild vite webpack rollup jest vitest mocha pytest unittest phpunit rspec ctest gtest-parallel playwright cypress sudo doas env nice nohup timeout time command builtin exec xargs watch ssh su runuser busybox toybox chroot unshare nsenter flock script screen tmux systemd-run at batch trap eval source . alias unalias export declare local readonly typeset read printf set unset shopt hash return exit break continue wait jobs fg bg disown sh bash dash zsh ksh fish python python3 python2 perl ruby php node awk sed gawk mawk lua tar zip unzip gzip bzip2 xz zstd 7z vim vi nano emacs code open xdg-open npx bunx uvx pipx sleep seq yes curl wget scp sftp rsync ssh-copy-id ssh-keygen createdb pg_dump pg_dumpall mysqldump mongodump createuser useradd adduser groupadd logger notify-send mail sendmail swaks write wall coproc unbuffer parallel fd fdfind find tee hyperfine strace ltrace gdb valgrind perf'.split(
    ' ',
  ),
);

function wordOf(c: Command): Word | boolean {
  if (c.args.some((arg) => DRY.test(arg)) || c.args.at(-1) === '/?') return false;
  const words = operandWords(c);
  if (
    /^(help|man|list|ls|show|get|describe|info|search|find|status|logs?|history|view|explain|query|count|print|echo|uses|deps|leaves|why|tree|outdated|plan|preview|verify|validate|doctor|inspect|version|completion)$/i.test(
      words[0]?.text ?? '',
    )
  )
    return false;
  // A formatter overwrites its files, unless it reads from its input.
  if (words[0]?.text === 'fmt' && c.args.at(-1) !== '-') return words[0];
  const makes = MAKES.test(words[0]?.text ?? '');
  for (const [at, word] of makes ? [] : words.slice(0, 5).entries()) {
    if (at > 0 && /[/.@:]/.test(word.text)) break;
    if (
      /^(list|ls|show|get|describe|info|status|logs?|search|view|print|count|add|create|start|build|test)$/i.test(
        word.text,
      )
    )
      break;
    if (LOOKS_AT.test(words[at + 1]?.text ?? '')) break; // The command only asks for the state: `migrate status`.
    if (WEAK.test(word.text) && c.words[c.words.indexOf(word) - 1]?.text.startsWith('-') === true) continue;
    if (at < 3 ? isDestructiveWord(word.text) : SURE.test(word.text)) return word;
  }
  const end = c.args.indexOf('--');
  const flag = c.words.find(
    // `install --force` only creates the files that it would create anyway.
    (word, at) => (end === -1 || at < end) && isDestructiveFlag(word.text) && !(makes && /^--?force$/.test(word.text)),
  );
  if (flag !== undefined) return flag;
  return isDestructiveScript(c.path);
}

/** Words that make the following words names: `snapshot-create-as web clean`, `volume-list`. */
const MAKES =
  /^(add|create|new|init|install|generate|build|test|lint)$|^(?!.*-or-)[a-z]+-(create|create-as|add|list|ls|info|show|status|dump|new|define|start|enable)$/;
/** Words that are more often the value of an option, as in `--strftime format`. */
const WEAK = /^(format|off|down|empty|edit|move|exit|detach)$/i;
/** Words that show, after a destructive word, that the command only looks. */
const LOOKS_AT = /^(status|list|ls|show|info|get|describe|history|logs?|diff|plan|check|preview|help|stats?|view)$/i;
/** Words that mean destruction in every position. */
const SURE = /^(delete|del|remove|rm|destroy|purge|wipe|erase|drop|uninstall|revoke|truncate)$/;

/** Matches such words without a separator: `--removeworkspace`. */
const RUN_TOGETHER =
  /^--?(?:remove|delete|purge|uninstall|erase|wipe|destroy)(?!d$|r$|s$|before|after|on|if|when)[a-z]+(=|$)/i;

const isDestructiveFlag = (text: string): boolean =>
  FLAGS.test(text) || RUN_TOGETHER.test(text) || (COMPOUND_FLAG.test(text) && !ABOUT_WHEN.test(text));
