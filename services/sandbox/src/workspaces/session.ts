import { z } from 'zod';

/** What one command hands on to the next of its workspace. */
export const Session = z.object({
  folder: z.string(),
  /** Exported variables that the container does not have by itself, as NAME=VALUE. */
  variables: z.array(z.string()),
});
export type Session = z.infer<typeof Session>;

export const NEW_SESSION: Session = { folder: '/workspace', variables: [] };

const SESSION_MAX_BYTES = 64 * 1024;
const FOLDER_MAX_BYTES = 4_095;
const VARIABLE = /^[A-Za-z_][A-Za-z0-9_]*=/;
/** The shell's own: set anew by every shell, not to be set, or read by a shell before its command. */
const SHELLS_OWN =
  /^(?:_|BASH\w*|SHELLOPTS|SHLVL|PWD|OLDPWD|PPID|E?UID|ENV|HOSTNAME|DIRSTACK|FUNCNAME|GROUPS|PIPESTATUS)=/;

/**
 * Reads what the launcher hands back: the folder with a line break behind it, NAME=VALUE each, and `.` to show that
 * nothing was cut; a NUL behind each.
 * What is in `base`, the variables of every container, is left out, so that a change there is not held up.
 * @returns null when it is not what a launcher writes, or larger than 64 KiB: then the session stays as it was.
 */
export function parseSession(bytes: Buffer, base: readonly string[]): Session | null {
  const [folderBytes, ...entries] = splitAtNul(bytes);
  if (entries.pop()?.toString() !== '.') return null;
  const folder = textOf(folderBytes)?.replace(/\n$/, '');
  if (folder === undefined || !folder.startsWith('/') || Buffer.byteLength(folder) > FOLDER_MAX_BYTES) return null;
  const common = new Set(base);
  const variables: string[] = [];
  let size = 0;
  for (const entry of entries) {
    const text = textOf(entry);
    if (text === undefined || common.has(text) || !VARIABLE.test(text) || SHELLS_OWN.test(text)) continue;
    size += entry.length + 1;
    if (size > SESSION_MAX_BYTES) return null;
    variables.push(text);
  }
  return { folder, variables: variables.toSorted() };
}

export function isSameSession(a: Session, b: Session): boolean {
  return (
    a.folder === b.folder &&
    a.variables.length === b.variables.length &&
    a.variables.every((variable, i) => variable === b.variables[i])
  );
}

/** Only what a NUL stands behind: the rest was cut. */
function splitAtNul(bytes: Buffer): Buffer[] {
  const parts: Buffer[] = [];
  for (let from = 0, at = bytes.indexOf(0); at >= 0; from = at + 1, at = bytes.indexOf(0, from)) {
    parts.push(bytes.subarray(from, at));
  }
  return parts;
}

/** Undefined when it is no UTF-8: it would come back changed. */
function textOf(bytes: Buffer | undefined): string | undefined {
  const text = bytes?.toString();
  return text !== undefined && bytes?.equals(Buffer.from(text)) === true ? text : undefined;
}
