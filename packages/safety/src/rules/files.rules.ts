import { has, operands } from './arguments.js';
import { isBackupName, isNew, isSink, isSystem } from './paths.js';
import type { Rule } from './rule.js';

const MOVERS = ['mv', 'gmv', 'move'];

export const FILES: readonly Rule[] = [
  {
    id: 'files.remove',
    title: 'deletes files',
    why: 'files that rm deletes do not come back',
    severity: 'high',
    tools: [
      'rm',
      'grm',
      'unlink',
      'srm',
      'rimraf',
      'del-cli',
      'trash-empty',
      'del',
      'erase',
      'rd',
      'deltree',
      'remove-item',
      'Remove-Item',
      'ri',
      'wipe',
      'sfill',
      'secure-delete',
      'nwipe',
      'dban',
    ],
    matches: (c) => c.args.length > 0 || c.name === 'trash-empty' || c.name === 'nwipe' || c.name === 'dban',
    stops: [
      'rm x',
      'rm -rf build',
      '/bin/rm -r build',
      'unlink x',
      'rm -- -x',
      'cd /srv && rm -rf old && ls',
      'npx rimraf dist',
    ],
    passes: ['rm', 'rm --help', 'ls -rf', 'echo rm -rf /', 'git commit -m "rm -rf build"', 'cat rm.txt'],
  },
  {
    id: 'files.remove-directory',
    title: 'removes folders',
    why: 'the folder is gone, however empty it was',
    severity: 'low',
    tools: ['rmdir', 'grmdir'],
    matches: (c) => operands(c).length > 0,
    stops: ['rmdir old', 'rmdir -p a/b'],
    passes: ['rmdir --help', 'mkdir old'],
  },
  {
    id: 'files.trash',
    title: 'moves files to the trash',
    why: 'the files leave their place',
    severity: 'low',
    tools: ['trash', 'trash-put', 'gvfs-trash', 'trash-rm', 'gio', 'rmtrash'],
    matches: (c) => (c.name === 'gio' ? ['trash', 'remove', 'move'].includes(c.args[0] ?? '') : c.args.length > 0),
    stops: ['trash-put a', 'gio trash a.txt', 'gio remove a'],
    passes: ['gio info a', 'trash-list'],
  },
  {
    id: 'files.shred',
    title: 'overwrites files so that nothing can be recovered',
    why: 'shredded data is gone for good',
    severity: 'critical',
    tools: ['shred', 'gshred', 'scrub', 'bcwipe'],
    matches: (c) => operands(c).length > 0,
    stops: ['shred -u secret.txt', 'shred -n 3 /dev/sdb'],
    passes: ['shred --help', 'echo shredded'],
  },
  {
    id: 'files.find-delete',
    title: 'find deletes what it finds',
    why: 'every file that matches is deleted, also those that nobody thought of',
    severity: 'high',
    tools: ['find', 'gfind', 'bfs'],
    matches: (c) => c.args.includes('-delete'),
    ignoresDryRun: true,
    stops: ['find . -delete', "find /tmp -name '*.log' -delete"],
    passes: ['find . -name delete', 'find . -name "*.log" -print', 'find . -exec cat {} \\;'],
  },
  {
    id: 'files.find-writes',
    title: 'find overwrites a file with its list',
    why: '-fprint and -fls truncate the file they write',
    severity: 'medium',
    tools: ['find', 'gfind', 'bfs'],
    matches: (c) => c.args.some((arg, at) => /^-f(ls|print0?|printf)$/.test(arg) && !isSink(c.args[at + 1] ?? '')),
    stops: ['find . -fprint list.txt'],
    passes: ['find . -printf "%p\\n"', 'find . -fprint /dev/stderr'],
  },
  {
    id: 'files.truncate',
    title: 'cuts files off',
    why: 'what stood beyond the new end is lost',
    severity: 'high',
    tools: ['truncate', 'gtruncate', 'ftruncate'],
    matches: (c) => {
      const size = /(?:^|\s)(?:-[a-z]*s\s*|--size[= ])(\S+)/.exec(c.args.join(' '))?.[1];
      return size === undefined ? operands(c).length > 0 : !/^(\+\d+\w*|\d+[MGTP]i?B?)$/i.test(size);
    },
    stops: [
      'truncate -s 0 important.log',
      'truncate -s0 a',
      'truncate --size=0 a',
      'truncate -s -10 a',
      'truncate -s "<1K" a',
    ],
    passes: ['truncate -s 1G disk.img', 'truncate -s +1M a', 'truncate --help'],
  },
  {
    id: 'files.move',
    title: 'moves files, over others if they are there',
    why: 'the file leaves its place, and mv silently replaces a file of the new name',
    severity: 'medium',
    tools: MOVERS,
    matches: (c) => {
      const paths = operands(c);
      const target = paths.at(-1) ?? '';
      if (paths.length === 0 || has(c, '-n', '--no-clobber', '--update=none', '--update=none-fail')) return false;
      if (has(c, '-f', '--force') || paths.some((path) => isSystem(path) || path === '/dev/null')) return true;
      return !(has(c, '-b', '--backup', '-S', '--suffix') || (paths.length === 2 && isNew(c, target)));
    },
    stops: [
      'mv new.db prod.db',
      'mv -f a b',
      'mv important.txt /dev/null',
      'mv * /tmp',
      'sudo mv nginx.conf /etc/nginx/',
      'mv data data_old',
      'mv config.yml config.yml.bak',
    ],
    passes: ['mv -n a b', 'mv --backup a b', 'mv a "a.$(date +%s)"', 'git mv a b'],
  },
  {
    id: 'files.copy-over',
    title: 'copies over what is there',
    why: 'the target is replaced without a question',
    severity: 'medium',
    tools: ['cp', 'gcp', 'install', 'ginstall', 'copy', 'xcopy', 'ditto'],
    matches: (c) => {
      const paths = operands(c);
      const target = has(c, '-t', '--target-directory') ? (paths[0] ?? '') : (paths.at(-1) ?? '');
      if (paths.length < 2 && !has(c, '-t', '--target-directory')) return false;
      if (has(c, '-n', '--no-clobber', '--update=none', '--update=none-fail')) return false;
      if (c.name.endsWith('install') && has(c, '-d', '--directory')) return false;
      if (isSink(target) || isNew(c, target)) return false;
      if (has(c, '-f', '--force', '--remove-destination') && !isBackupName(target)) return true;
      if (paths.slice(0, -1).some((path) => /^\/dev\/(null|zero|u?random)$/.test(path))) return true;
      if (paths.slice(0, -1).some(isBackupName) && !isBackupName(target) && !/\/$|^\.\.?$/.test(target)) return true;
      return isSystem(target) && !isBackupName(target);
    },
    stops: [
      'cp -f a b',
      'cp /dev/null app.log',
      'cp hosts /etc/hosts',
      'cp -r backup.bak/ live',
      'install -m 644 x /usr/local/bin/x',
      'cp config.yml.bak config.yml',
    ],
    passes: ['cp a b', 'cp -n a /etc/a', 'cp -r src /tmp/copy', 'cp /etc/hosts /etc/hosts.bak', 'cp /etc/hosts .'],
  },
  {
    id: 'files.link-over',
    title: 'replaces a file with a link',
    why: 'ln -f deletes the file that has the name of the link',
    severity: 'medium',
    tools: ['ln', 'gln'],
    matches: (c) => has(c, '-f', '--force'),
    stops: ['ln -sf /opt/a /usr/bin/a', 'ln -nsf a b', 'ln --force -s a b'],
    passes: ['ln -s a b', 'ln a b'],
  },
  {
    id: 'files.rename-many',
    title: 'renames many files',
    why: 'old names are gone, and names that clash are lost',
    severity: 'medium',
    tools: ['rename', 'prename', 'file-rename', 'mmv', 'zmv', 'vidir', 'qmv', 'detox', 'perl-rename', 'convmv'],
    matches: (c) => (c.name !== 'convmv' ? operands(c).length > 0 : has(c, '--notest')),
    stops: ["rename 's/a/b/' *.txt", 'mmv "*.a" "#1.b"'],
    passes: ["rename -n 's/a/b/' *.txt", 'convmv -f latin1 -t utf8 .'],
  },
];
