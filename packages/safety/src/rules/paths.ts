import { HOLE, NEW, baseName, type Command } from '../shell/command.js';

/** Whether writing to the path destroys nothing, because nothing is stored there. */
export function isSink(path: string): boolean {
  return (
    /^\/dev\/(null|stdout|stderr|tty|fd\/\d+|pts\/\d+|ptmx)$/.test(path) ||
    /^\/proc\/self\/fd\/\d+$/.test(path) ||
    path === '-'
  );
}

/**
 * Whether the path cannot exist yet, because its name comes from `mktemp` or the clock, or because this command created
 * its folder.
 */
export function isNew(c: Command, path: string): boolean {
  if (path.includes(NEW)) return true;
  const folder = path.slice(0, path.lastIndexOf('/') + 1);
  return c.facts.created.has(path) || (folder !== '' && c.facts.created.has(folder));
}

/** Whether the path is a disk, a partition or memory, so that writing to it affects more than one file. */
export const isDevice = (path: string): boolean =>
  path.startsWith('/dev/') && !isSink(path) && !/^\/dev\/(shm|tcp|udp|random|urandom|zero|full)(\/|$)/.test(path);

/** Whether the path is a file that defines the system or an account. */
export function isSystem(path: string): boolean {
  if (isSink(path)) return false;
  if (
    /^\/(etc|boot|usr|bin|sbin|lib|lib64|sys|proc|efi)(\/|$)/.test(path) &&
    !/^\/usr\/local\/(share|src)\//.test(path)
  )
    return true;
  if (/^\/var\/(spool|lib|www|log)\//.test(path)) return true;
  return isDevice(path) || isAccount(path);
}

/** Whether a login, git, curl or wget reads the file by default. One more line in it changes what later commands do. */
export const isAccount = (path: string): boolean =>
  /(^|\/)\.(bashrc|bash_profile|bash_login|bash_logout|bash_aliases|profile|zshrc|zprofile|zshenv|zlogin|cshrc|kshrc|inputrc|netrc|pgpass|npmrc|gitconfig|git\/(config|hooks\/)|curlrc|wgetrc|vimrc|ssh\/|gnupg\/|aws\/|kube\/|docker\/config|config\/(fish|autostart|systemd))/.test(
    path,
  ) ||
  /(^|\/)authorized_keys$/.test(path) ||
  /^~?\/?\.ssh(\/|$)/.test(path);

/** Whether the name is one that people usually give to a copy. */
export const isBackupName = (path: string): boolean =>
  /(\.(bak|backup|orig|old|save|copy|sav|prev|dist|tmp)(\.?\d+)?|[-_.](bak|backup|copy|old)(\.\w+)?|~)\/?$/i.test(
    baseName(path.replace(/\/$/, '')),
  ) || /(^|\/)backups?\/?/i.test(path);

export const isHole = (path: string): boolean => path.includes(HOLE);
