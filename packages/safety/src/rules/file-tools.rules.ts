import { exact, has, operands } from './arguments.js';
import { isSystem } from './paths.js';
import type { Rule } from './rule.js';

export const FILE_TOOLS: readonly Rule[] = [
  {
    id: 'files.archive-removes',
    title: 'deletes with an archiver',
    why: 'members of the archive, or the files that it took in, are deleted or overwritten',
    severity: 'medium',
    tools: [
      'tar',
      'gtar',
      'bsdtar',
      'zip',
      '7z',
      '7za',
      '7zz',
      'rar',
      'unzip',
      'unrar',
      'ar',
      'cpio',
      'jar',
      'unsquashfs',
    ],
    matches: (c) => {
      const [mode = ''] = c.args;
      if (c.name.endsWith('tar'))
        return (
          has(c, '--delete', '--remove-files', '--overwrite', '--recursive-unlink', '--unlink-first', '-U') ||
          extractsInto(c.args)
        );
      if (c.name === 'zip') return has(c, '-d', '--delete', '-m', '--move');
      if (c.name === 'unzip') return has(c, '-o') && !has(c, '-p', '-l');
      if (c.name === 'ar') return /^-?[a-z]*[drm]/.test(mode);
      if (c.name === 'jar') return /^-?u/.test(mode) || exact(c, '--update');
      if (c.name === 'unsquashfs') return has(c, '-f', '-force');
      if (c.name === 'cpio') return has(c, '-u', '--unconditional');
      if (c.name.endsWith('rar')) return /^(d|m|mf)$/.test(mode) || has(c, '-o+', '-df');
      return mode === 'd' || has(c, '-sdel', '-aoa', '-y');
    },
    stops: [
      'tar -cf a.tar --remove-files x',
      'zip -d a.zip x',
      'zip -m a.zip x',
      'unzip -o a.zip',
      '7z d a.7z x',
      'tar xzf backup.tgz -C /',
      'tar -xf etc.tar -C /etc',
    ],
    passes: [
      'tar xf a.tar',
      'tar czf a.tgz dir',
      'unzip a.zip',
      'unzip -l a.zip',
      'zip -r a.zip dir',
      '7z x a.7z',
      'tar xzf a.tgz -C /tmp/new',
    ],
  },
  {
    id: 'files.duplicates',
    title: 'deletes what it takes for superfluous',
    why: 'a program chooses what is deleted',
    severity: 'high',
    tools: [
      'fdupes',
      'jdupes',
      'rdfind',
      'rmlint',
      'bleachbit',
      'tmpreaper',
      'tmpwatch',
      'systemd-tmpfiles',
      'localepurge',
      'czkawka_cli',
      'fslint',
      'duperemove',
      'hardlink',
      'ncdu',
      'logrotate',
      'journalctl',
      'history',
      'git-lfs',
      'ccache',
      'updatedb',
      'mogrify',
      'dos2unix',
      'unix2dos',
      'stow',
      'exiftool',
      'strip',
      'optipng',
      'jpegoptim',
      'detox',
    ],
    matches: (c) => {
      switch (c.name) {
        case 'fdupes':
        case 'jdupes':
          return has(c, '-d', '--delete', '-N', '-H', '-L', '--linkhard');
        case 'rdfind':
          return (
            /-(deleteduplicates|makehardlinks|makesymlinks) true/.test(c.args.join(' ')) &&
            !/-(dryrun|n) true/.test(c.args.join(' '))
          );
        case 'bleachbit':
          return has(c, '-c', '--clean', '-s', '--shred', '-o', '--overwrite', '-w', '--wipe-free-space');
        case 'systemd-tmpfiles':
          return has(c, '--clean', '--remove', '--purge');
        case 'czkawka_cli':
          return has(c, '-D', '--delete-method', '--delete-files');
        case 'duperemove':
          return has(c, '-d');
        case 'logrotate':
          return operands(c).length > 0;
        case 'journalctl':
          return has(c, '--vacuum-size', '--vacuum-time', '--vacuum-files', '--rotate');
        case 'history':
          return has(c, '-c', '-d', '-w');
        case 'git-lfs':
          return c.args[0] === 'prune';
        case 'ccache':
          return has(c, '-C', '--clear', '-c', '--cleanup');
        case 'exiftool':
          return c.args.some((arg) => /^-(\w+[<+-]?=|overwrite_original|delete_original)/.test(arg));
        case 'dos2unix':
        case 'unix2dos':
          return operands(c).length > 0 && !has(c, '-n', '--newfile', '-i', '--info');
        case 'strip':
          return operands(c).length > 0 && !has(c, '-o');
        case 'ncdu':
        case 'updatedb':
        case 'rmlint': // writes a script, and deletes nothing
          return false;
        case 'stow':
          return has(c, '-D', '--delete', '-R', '--restow', '--adopt');
        default:
          return operands(c).length > 0;
      }
    },
    stops: [
      'fdupes -rdN .',
      'journalctl --vacuum-time=2d',
      'bleachbit --clean system.cache',
      'tmpreaper 7d /tmp',
      'history -c',
      'dos2unix a.txt',
      'logrotate -f /etc/logrotate.conf',
    ],
    passes: [
      'fdupes -r .',
      'journalctl -u nginx',
      'history',
      'logrotate -d /etc/logrotate.conf',
      'exiftool a.jpg',
      'ncdu /',
    ],
  },
];

/** Unpacking over the system's own folders replaces what is there. */
function extractsInto(args: readonly string[]): boolean {
  const extracts = args.some(
    (arg, at) =>
      (at === 0 && /^-?[a-zA-Z]*x/.test(arg) && !arg.startsWith('--')) ||
      /^-[a-zA-Z]*x[a-zA-Z]*$/.test(arg) ||
      arg === '--extract',
  );
  if (!extracts || args.some((arg) => /^(-[a-zA-Z]*k|--keep-old-files|--skip-old-files|-k)$/.test(arg))) return false;
  const folder = args
    .map((arg, at) => (/^(-[a-zA-Z]*C|--directory)$/.test(arg) ? args[at + 1] : /^--directory=(.*)/.exec(arg)?.[1]))
    .find((value) => value !== undefined);
  return folder !== undefined && (folder === '/' || folder === '~' || isSystem(`${folder}/`));
}
