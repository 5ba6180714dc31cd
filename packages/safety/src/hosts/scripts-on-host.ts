import { normalized } from '../named-paths.js';
import { codeFiles, ownScripts, runBy } from '../bound-files.js';
import { read } from '../classify.js';
import { HOLE } from '../shell/command.js';

const FILES_MAX = 8;
const PATH_MAX_CHARS = 500;
const OF_SYSTEM = /^\/(?:usr\/)?s?bin\/[^/]+$/;
const IS_CODE = /^(?:-[a-z]*[ceEm]|--command|--eval)$/;

/**
 * Returns the files on a host whose content decides what this command line does there: scripts that it runs, files with
 * its code or settings (`awk -f`), Makefiles and compose files. Paths are relative to the folder where SSH starts, and
 * `~/` is not expanded. Programs that are found only through `PATH` are not included. Pure.
 */
export function scriptsOnHost(command: string): readonly string[] {
  const reading = read(command);
  if ('verdict' in reading) return [];
  let folder = '';
  const found = new Set<string>();
  for (const each of reading.commands) {
    const { name, args } = each;
    if (name === 'cd' || name === 'pushd') folder = enter(folder, args.find((word) => !word.startsWith('-')) ?? '~');
    const at = args.findIndex((word) => word === '-C' || word === '--project-directory');
    const own = at < 0 ? folder : enter(folder, args[at + 1] ?? '');
    const isCode = !each.path.includes('/') && args.some((word) => IS_CODE.test(word));
    if (!isCode) for (const path of runBy(each)) found.add(enter(folder, path));
    for (const path of codeFiles(each)) found.add(enter(folder, path));
    for (const path of ownScripts(name)) found.add(enter(own, path));
  }
  const isPlain = (path: string) => !/[*?[\n\r]/.test(path) && !path.includes(HOLE) && path.length <= PATH_MAX_CHARS;
  return [...found].filter((path) => isPlain(path) && !OF_SYSTEM.test(path)).slice(0, FILES_MAX);
}

function enter(folder: string, path: string): string {
  if (path.startsWith('~')) return path;
  return normalized(path.startsWith('/') || folder === '' ? path : `${folder}/${path}`);
}
