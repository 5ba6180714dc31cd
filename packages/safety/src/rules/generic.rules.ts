import { baseName, type Command, type Word } from '../shell/command.js';
import { has, operandWords, path } from './arguments.js';
import { isDestructiveWord } from './destructive-words.js';
import { programOf } from './programs.js';
import { READ_ONLY_TOOLS } from './read-only.js';
import type { Rule } from './rule.js';

/** An option that begins or ends with such a word, and is not about when or how: `--clear-cache`, `--cluster-reset`. */
const COMPOUND_FLAG =
  /^--(?!no-|skip-|dont-|never-|without-|keep-|list-|show-|is-|on-|if-|pre-|post-|test-|allow-|can-)(?:(?:delete|remove|purge|wipe|erase|destroy|drop|truncate|uninstall|clear|clean|flush|prune|kill|stop|reset|shutdown|overwrite|expire|unregister|revoke|replace)-[a-z-]+|[a-z]+(?:-[a-z]+)*-(?:delete|remove|purge|wipe|erase|destroy|truncate|uninstall|reset|overwrite|prune|flush|shutdown|reboot|restart))$/;
const ABOUT_WHEN =
  /-(every|after|before|timeout|interval|signal|policy|on-\w+|on|if-\w+|if|when|age|delay|limit|threshold|level|rate|period|steps|epochs|seconds|days|pattern|words?|chars?|mode|strategy|count|file|path|dir|url|id|name|method|words)$/;
const FLAGS =
  /^--?(force|fix|autofix|auto-correct|autocorrect|destructive|rm|rmr|rmdir|delete|delete-\w+|del|remove|remove-\w+|purge|purge-\w+|wipe|wipe-\w+|erase|erase-\w+|destroy|drop|drop-\w+|truncate|uninstall|prune|overwrite|force-overwrite|clobber|force-delete|force-remove|force-clobber|reset|factory-reset|hard-reset|clean|cleanup|clear|clear-\w+|flush|nuke|zap|kill|stop|shutdown|restart|reboot|in-place|inplace|replace-existing|rmi|unlink|discard|expire|poweroff|power-off|restore|rollback|terminate|mirror-delete|revoke|unregister|deregister|expunge|abort|disable|rmtun|allow-overwrite|allow-overwriting|force-reinstall|wipe-data|nuke-all|disconnect|uninit|down)(=(?!false|0|no|never).*)?$/i;
const DRY =
  /^(--dry-run|--dryrun|--dry|--offline-check|--simulate|--what-if|--whatif|--check|--preview|--plan|--noop|--no-op|--pretend|-WhatIf|--list|--show|--explain|--diff|--validate|--print-only|--just-print|--set-exit-if-changed)(=(?!false|none|0).*)?$/i;
const BUILDERS = [
  'make',
  'gmake',
  'bmake',
  'ninja',
  'just',
  'task',
  'invoke',
  'inv',
  'fab',
  'scons',
  'waf',
  'rake',
  'gulp',
  'grunt',
  'ant',
  'cmake',
  'meson',
  'tox',
  'nox',
  'mage',
  'doit',
  'npm',
  'pnpm',
  'yarn',
  'bun',
  'deno',
  'composer',
  'moon',
  'turbo',
  'poe',
  'hatch',
  'pdm',
  'rails',
  'php',
  'python',
  'python3',
  'node',
  'ruby',
  'bash',
  'sh',
  'django-admin',
  'flask',
  'perl',
  'manage.py',
  'artisan',
];

export const GENERIC: readonly Rule[] = [
  {
    id: 'generic.task',
    title: 'runs a task or script that is named for what it destroys',
    why: 'a task called clean, reset or drop deletes what its author thought superfluous',
    severity: 'medium',
    tools: BUILDERS,
    matches: (c) => taskOf(c),
    stops: [
      'make clean',
      'make -C src distclean',
      'npm run db:reset',
      'just clean',
      'cmake --build . --target clean',
      'php artisan migrate:fresh',
      'python manage.py flush',
      'python3 scripts/delete_users.py',
      'bash cleanup.sh',
      'ninja -t clean',
      'make uninstall',
    ],
    passes: [
      'make',
      'make -j4 all',
      'make -n clean',
      'npm run build',
      'npm run test:delete',
      'just --list',
      'bash build.sh',
      'python3 train.py --reset-every 5',
      'node test/delete.spec.js',
      'python manage.py migrate --plan',
      'bash -n cleanup.sh',
      'make install',
      'python3 manage.py check',
    ],
  },
  {
    id: 'generic.destructive-word',
    title: 'a program is told to delete, stop or reset something',
    why: 'no rule knows this program, but its words mean destruction',
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
    ],
  },
];

/** Whether words of destruction are only names to it. */
export const isQuiet = (c: Command): boolean =>
  c.name === '' ||
  (c.name === 'kubectl' && isPlugin(c)
    ? false
    : READ_ONLY_TOOLS.has(c.name) ||
      QUIET.has(c.name) ||
      COVERED.has(c.name) ||
      programOf(c.name)?.facts.complete === true);
/** `kubectl argo rollouts abort`: a program of its own, that the rules of kubectl do not know. */
const isPlugin = (c: Command): boolean =>
  !/^(get|describe|logs|exec|cp|apply|create|delete|edit|patch|replace|scale|rollout|run|expose|set|explain|autoscale|certificate|cluster-info|top|cordon|uncordon|drain|taint|attach|port-forward|proxy|auth|debug|events|diff|kustomize|wait|label|annotate|completion|alpha|api-resources|api-versions|config|plugin|version|options|help)?$/.test(
    operandWords(c)[0]?.text ?? '',
  );
/** Programs whose every subcommand the rules know, so that what they do not stop is meant to pass. */
const COVERED = new Set(
  'docker podman nerdctl docker-compose podman-compose kubectl oc k kubecolor helm terraform tofu aws apt apt-get dpkg rpm linkerd http https xh xhs curl wget terraform ha'.split(
    ' ',
  ),
);
/** Programs that make or run something, and for which such words are names. */
const QUIET = new Set(
  'cd mkdir touch say espeak espeak-ng spd-say figlet toilet cowsay banner lolcat xclip xsel wl-copy pbcopy qrencode zenity dialog whiptail kdialog yad gum fzf osd_cat ln cp mv install gcc g++ cc clang clang++ rustc javac java kotlinc scalac tsc esbuild vite webpack rollup jest vitest mocha pytest unittest phpunit rspec ctest gtest-parallel playwright cypress sudo doas env nice nohup timeout time command builtin exec xargs watch ssh su runuser busybox toybox chroot unshare nsenter flock script screen tmux systemd-run at batch trap eval source . alias unalias export declare local readonly typeset read printf set unset shopt hash return exit break continue wait jobs fg bg disown sh bash dash zsh ksh fish python python3 python2 perl ruby php node awk sed gawk mawk lua tar zip unzip gzip bzip2 xz zstd 7z vim vi nano emacs code open xdg-open npx bunx uvx pipx sleep seq yes curl wget scp sftp rsync ssh-copy-id ssh-keygen createdb pg_dump pg_dumpall mysqldump mongodump createuser useradd adduser groupadd logger notify-send mail sendmail swaks write wall coproc unbuffer parallel fd fdfind find tee hyperfine strace ltrace gdb valgrind perf'.split(
    ' ',
  ),
);

function wordOf(c: Command): Word | boolean {
  if (c.args.some((arg) => DRY.test(arg))) return false;
  const words = operandWords(c);
  if (
    /^(help|man|list|ls|show|get|describe|info|search|find|status|logs?|history|view|explain|query|count|print|echo|uses|deps|leaves|why|tree|outdated|plan|preview|verify|validate|doctor|inspect|version|completion)$/i.test(
      words[0]?.text ?? '',
    )
  )
    return false;
  const makes = MAKES.test(words[0]?.text ?? '');
  for (const [at, word] of makes ? [] : words.slice(0, 5).entries()) {
    if (at > 0 && /[/.@:]/.test(word.text)) break;
    if (
      /^(list|ls|show|get|describe|info|status|logs?|search|view|print|count|add|create|start|build|test)$/i.test(
        word.text,
      )
    )
      break;
    if (LOOKS_AT.test(words[at + 1]?.text ?? '')) break; // `migrate status`
    if (at < 3 ? isDestructiveWord(word.text) : SURE.test(word.text)) return word;
  }
  const end = c.args.indexOf('--');
  const flag = c.words.find(
    (word, at) => (end === -1 || at < end) && isDestructiveFlag(word.text) && !(makes && /^--?force$/.test(word.text)), // `install --force` makes what it would make
  );
  if (flag !== undefined) return flag;
  return isDestructiveScript(c.path);
}

/** `snapshot-create-as web clean`, `volume-list`: what comes after it are names. */
const MAKES =
  /^(add|create|new|init|install|generate|build|test|lint)$|^(?!.*-or-)[a-z]+-(create|create-as|add|list|ls|info|show|status|dump|new|define|start|enable)$/;
/** After a word of destruction these only look at it. */
const LOOKS_AT = /^(status|list|ls|show|info|get|describe|history|logs?|diff|plan|check|preview|help|stats?|view)$/i;
/** Words that mean it wherever they stand. */
const SURE = /^(delete|del|remove|rm|destroy|purge|wipe|erase|drop|uninstall|revoke|truncate)$/;

const isDestructiveFlag = (text: string): boolean =>
  FLAGS.test(text) || (COMPOUND_FLAG.test(text) && !ABOUT_WHEN.test(text));

/** `fprintd-delete`, `gnome-session-quit`: a program that is named for it. */
const PROGRAM =
  /^[a-z0-9]+[-_](?:[a-z0-9]+[-_])?(?:delete|destroy|remove|purge|wipe|erase|uninstall|nuke|kill|shutdown|reboot|poweroff|quit|cleanup|clear|upgradecluster|deluser)$/;

/** `cleanup.sh`, `./wipe-all`, `delete_users.py`. */
function isDestructiveScript(file: string): boolean {
  if (PROGRAM.test(file)) return true;
  if (!/[/.]/.test(file) || /(^|[/_.-])(test|tests|spec|specs|example|mock)s?[/_.-]/i.test(file)) return false;
  const name = file
    .slice(file.lastIndexOf('/') + 1)
    .replace(/\.\w{1,4}$/, '')
    .toLowerCase();
  return name
    .split(/[-_.]/)
    .some((part) =>
      /^(delete|destroy|remove|purge|wipe|erase|drop|truncate|uninstall|prune|nuke|cleanup|clean|reset|kill|teardown|shutdown|reboot|restart|stop|rollback|flush|format|rm)$/.test(
        part,
      ),
    );
}

function taskOf(c: Command): Word | boolean {
  const words = operandWords(c);
  const [first, second] = words;
  const text = path(c);
  switch (c.name) {
    case 'python':
    case 'python3':
    case 'node':
    case 'ruby':
    case 'perl':
    case 'bash':
    case 'sh':
    case 'php': {
      if (has(c, '-c', '-e', '-r', '-m', '--eval', '-E', '-p') || first === undefined) return false;
      if (/^(bash|sh)$/.test(c.name) && has(c, '-n')) return false;
      if (baseName(first.text) === 'manage.py' && has(c, '--plan', '--list')) return false;
      if (c.args.some((arg) => /^(--help|--dry-run|--version|--check|-n)$/.test(arg))) return false;
      if (isDestructiveScript(first.text)) return first;
      const managed =
        /(^|\/)(manage\.py|artisan|occ|console|spark|cake|yii|drush|wp-cli\.phar|craft|cli\.py|setup\.py|rails|rake|bin\/\w+)$/.test(
          first.text,
        ) && second !== undefined;
      if (managed && changesData(second.text)) return second;
      return words.slice(1, 3).some((word) => isDestructiveWord(word.text) && !/[.]/.test(word.text))
        ? (words.slice(1, 3).find((word) => isDestructiveWord(word.text)) ?? false)
        : (c.words.slice(1).find((word) => FLAGS.test(word.text) && !/^-\w$/.test(word.text)) ?? false);
    }
    case 'manage.py':
    case 'artisan':
      return first !== undefined && changesData(first.text) ? first : false;
    case 'cmake': {
      const target = c.args.findIndex((arg) => /^(--target|-t)$/.test(arg));
      return (
        (target !== -1 && /clean|uninstall/.test(c.args[target + 1] ?? '')) ||
        has(c, '--clean-first', '--fresh') ||
        (/^(-E|-E )$/.test(c.args[0] ?? '') && /^(rm|remove|remove_directory|rename|copy\w*)$/.test(c.args[1] ?? ''))
      );
    }
    case 'ninja':
      return /-t\s*(clean|cleandead)/.test(c.args.join(' ')) || first?.text === 'clean';
    case 'scons':
      return has(c, '-c', '--clean', '--remove');
    case 'npm':
    case 'pnpm':
    case 'yarn':
    case 'bun':
    case 'deno':
    case 'composer':
    case 'moon':
    case 'turbo':
    case 'pdm':
    case 'poe': {
      const named = /^(run|run-script|rum|urn|task|exec)$/.test(first?.text ?? '')
        ? second
        : c.name === 'npm' || c.name === 'composer'
          ? undefined
          : first;
      return named !== undefined && isTask(named.text) ? named : false;
    }
    case 'rails':
      return /^(destroy|d|runner .*(destroy|delete)_all)\b/.test(text);
    default: {
      const found = words.find((word) => isTask(word.text) && !/^(-|\w+=)/.test(word.text));
      return found ?? false;
    }
  }
}

/** Tasks of web frameworks that change or empty the database or a cache. */
const changesData = (task: string): boolean =>
  /^(flush|reset_db|migrate(:\w+)?|sqlflush|clear\w*|delete\w*|remove\w*|drop\w*|changepassword|loaddata|db:\w+|cache:clear|down|key:generate|queue:(clear|flush)|doctrine:(database:drop|schema:(drop|update)|migrations:\w+)|clean|purge\w*|wipe|uninstall|truncate\w*|prune\w*|maintenance:(mode|repair)|user:(delete|disable|resetpassword)|app:(disable|remove|update)|(trashbin|versions|files):\w*(clean|clear|delete|expire|transfer)\S*|group:(delete|removeuser)|config:\w+:(delete|set)|upgrade|theme:delete|plugin:delete)$/.test(
    task,
  ) && !/^(migrate:status|db:seed|db:create|db:show|db:table|db:monitor)$/.test(task);

const isTask = (text: string): boolean =>
  (isDestructiveWord(text) ||
    /^(clean|distclean|mrproper|maintainer-clean|realclean|clobber|uninstall|reset|purge|nuke|wipe|down|destroy|prune|stop|restart|undeploy|teardown|deploy-prod)(-\w+|:\w+)*$/.test(
      text,
    ) ||
    /(^|[:_-])(clean|drop|reset|destroy|purge|wipe|nuke|rollback|undo|uninstall)$/.test(text)) &&
  !/^(test|lint|check|build|dev|start|serve|watch|docs?|list|show|compile)[:_-]/.test(text);
