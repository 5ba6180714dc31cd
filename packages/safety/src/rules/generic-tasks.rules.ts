import { baseName, type Command, type Word } from '../shell/command.js';
import { has, operandWords, path } from './arguments.js';
import { isDestructiveScript, isDestructiveWord } from './destructive-words.js';
import type { Rule } from './rule.js';

/** Options that mean destruction for every program. */
export const FLAGS =
  /^--?(force|fix|autofix|auto-correct|autocorrect|destructive|rm|rmr|rmdir|delete|delete-\w+|del|remove|remove-\w+|purge|purge-\w+|wipe|wipe-\w+|erase|erase-\w+|destroy|drop|drop-\w+|truncate|uninstall|prune|overwrite|force-overwrite|clobber|force-delete|force-remove|force-clobber|reset|factory-reset|hard-reset|clean|cleanup|clear|clear-\w+|flush|nuke|zap|kill|stop|shutdown|restart|reboot|in-place|inplace|replace-existing|rmi|unlink|discard|expire|poweroff|power-off|restore|rollback|terminate|mirror-delete|revoke|unregister|deregister|expunge|abort|disable|rmtun|allow-overwrite|allow-overwriting|force-reinstall|wipe-data|nuke-all|disconnect|uninit|unset|down|quit|shred|unmount|umount|eject|revert|undo|cancel|logout|deactivate|unload|forget|unpair|untag|unpublish|deinit|dismiss|scrub|expunge|kill-all|unlock-all)(=(?!false|0|no|never).*)?$/i;

type Judge = (c: Command, words: readonly Word[]) => Word | boolean;

/** The functions that judge the task of each build tool. */
const JUDGES: Readonly<Record<string, Judge>> = {
  ...each(
    'make gmake bmake just task invoke inv fab waf rake gulp grunt ant meson tox nox mage doit hatch flask django-admin',
    named,
  ),
  ...each('npm pnpm yarn bun deno composer moon turbo pdm poe', packageScript),
  ...each('python python3 node ruby perl php bash sh', script),
  ...each('manage.py artisan', (_, [first]) => first !== undefined && changesData(first.text) && first),
  cmake: builds,
  ninja: (c, [first]) => /-t\s*(clean|cleandead)/.test(c.args.join(' ')) || first?.text === 'clean',
  scons: (c) => has(c, '-c', '--clean', '--remove'),
  rails: (c) => /^(destroy|d|runner .*(destroy|delete)_all)\b/.test(path(c)),
};

function each(names: string, judge: Judge): Readonly<Record<string, Judge>> {
  return Object.fromEntries(names.split(' ').map((name) => [name, judge]));
}

export const TASKS: Rule = {
  id: 'generic.task',
  title: 'runs a task or script whose name suggests that it deletes something',
  why: 'a task called clean, reset or drop deletes what its author considered superfluous',
  severity: 'medium',
  tools: Object.keys(JUDGES),
  matches: (c) => JUDGES[c.name]?.(c, operandWords(c)) ?? false,
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
};

function named(_: Command, words: readonly Word[]): Word | boolean {
  return words.find((word) => isTask(word.text) && !/^(-|\w+=)/.test(word.text)) ?? false;
}

function packageScript({ name }: Command, [first, second]: readonly Word[]): Word | boolean {
  const runs = /^(run|run-script|rum|urn|task|exec)$/.test(first?.text ?? '');
  const task = runs ? second : name === 'npm' || name === 'composer' ? undefined : first;
  return task !== undefined && isTask(task.text) && task;
}

function builds(c: Command): boolean {
  const target = c.args.findIndex((arg) => /^(--target|-t)$/.test(arg));
  return (
    (target !== -1 && /clean|uninstall/.test(c.args[target + 1] ?? '')) ||
    has(c, '--clean-first', '--fresh') ||
    (/^(-E|-E )$/.test(c.args[0] ?? '') && /^(rm|remove|remove_directory|rename|copy\w*)$/.test(c.args[1] ?? ''))
  );
}

/** Returns the guilty word of a script, by its name, or of the console of a web framework, by its task. */
function script(c: Command, words: readonly Word[]): Word | boolean {
  const [first, second] = words;
  if (first === undefined || onlyReads(c, first)) return false;
  if (isDestructiveScript(first.text)) return first;
  if (CONSOLES.test(first.text) && second !== undefined && changesData(second.text)) return second;
  return (
    words.slice(1, 3).find((word) => isDestructiveWord(word.text) && !word.text.includes('.')) ??
    c.words.slice(1).find((word) => FLAGS.test(word.text) && !/^-\w$/.test(word.text)) ??
    false
  );
}

const CONSOLES =
  /(^|\/)(manage\.py|artisan|occ|console|spark|cake|yii|drush|wp-cli\.phar|craft|cli\.py|setup\.py|rails|rake|bin\/\w+)$/;

/** Whether other rules read the code of the command, or it changes nothing. */
const onlyReads = (c: Command, file: Word): boolean =>
  has(c, '-c', '-e', '-r', '-m', '--eval', '-E', '-p') ||
  (/^(bash|sh)$/.test(c.name) && has(c, '-n')) ||
  (baseName(file.text) === 'manage.py' && has(c, '--plan', '--list')) ||
  c.args.some((arg) => /^(--help|--dry-run|--version|--check|-n)$/.test(arg));

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
