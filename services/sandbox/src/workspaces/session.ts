import { createHash } from 'node:crypto';
import { posix } from 'node:path';
import { ALL_NAMES, type BoundFile, type ExecutionContext } from '@aish/contracts/execution-context';
import { z } from 'zod';

/** The state that one command of a workspace passes on to the next. */
export const Session = z.object({
  folder: z.string(),
  /** The exported variables that the container does not already have, as NAME=VALUE. */
  variables: z.array(z.string()),
});
export type Session = z.infer<typeof Session>;

export const NEW_SESSION: Session = { folder: '/workspace', variables: [] };

/**
 * Variables that change the meaning of a command: where programs are found, and what these load or run. Variables that
 * only name a settings folder are excluded, because a workspace can change such a folder anyway. Variables that name
 * commands for people (EDITOR, PAGER) are excluded too, because the rules read them where they are set.
 */
const MEANING =
  /^(?:PATH|LD_\w*|BASH_ENV|ENV|IFS|SHELLOPTS|PS4|PROMPT_COMMAND|GIT_\w*|PYTHON\w*|NODE_(?:OPTIONS|PATH)|PERL5\w*|PERLLIB|RUBY(?:OPT|LIB)|JAVA_TOOL_OPTIONS|MAKE(?:FLAGS|FILES)|TAR_OPTIONS|RSYNC_RSH|CDPATH|GLOBIGNORE|EXECIGNORE|ZIP(?:OPT)?|UNZIP(?:OPT)?|GOFLAGS|RUSTC_\w*WRAPPER|JDK_JAVA_OPTIONS|_JAVA_OPTIONS|npm_config_\w+|NPM_CONFIG_\w+|LUA_INIT\w*|GCONV_PATH|PHPRC|PHP_INI_SCAN_DIR|DOTNET_STARTUP_HOOKS|OPENSSL_CONF|VIMINIT|EXINIT|ERL_\w*FLAGS|R_PROFILE\w*|RSYNC_CONNECT_PROG|LESS(?:OPEN|CLOSE)|RIPGREP_CONFIG_PATH|CURL_HOME|WGETRC)=/;
/** Among these, the variables that only describe a person or a format, and run nothing. */
const HARMLESS =
  /^(?:GIT_(?:AUTHOR|COMMITTER)_\w*|GIT_TERMINAL_PROMPT|PYTHON(?:UNBUFFERED|DONTWRITEBYTECODE|IOENCODING|HASHSEED|UTF8))=/;

/** Variables that say which machine, cluster, account or database a command works on. */
const SUBJECT =
  /^(?:KUBECONFIG|KUBE_CONTEXT|(?:DOCKER|CONTAINER|COMPOSE|HELM|AWS|AZURE|ARM|GOOGLE|CLOUDSDK|PG|MYSQL|REDIS|MONGO|RESTIC|BORG|RCLONE|ANSIBLE|TF|VAULT|CONSUL|NOMAD|ETCDCTL|PROXMOX|PVE|LIBVIRT|OS|INCUS|LXD)_?[A-Z]\w*)$/;

export function changesMeaning(variable: string): boolean {
  return MEANING.test(variable) && !HARMLESS.test(variable);
}

/** Names whose values hold credentials: headers that git sends, and tokens. */
const SECRET_NAME = /^GIT_CONFIG_(?:VALUE_\d+|PARAMETERS)$|TOKEN|PASS|SECRET|CREDENTIAL|AUTH|_KEY$/;
/** Values that hold credentials under any name: `https://name:password@host`, an HTTP header. */
const SECRET_VALUE = /:\/\/[^/\s:@]*:[^/\s@]+@|\bsshpass\s+-p|\bauthorization\s*[:=]/i;

/** Returns a value as people and records see it. The digest covers the real value. */
function shownValue(name: string, value: string): string {
  const isSecret = SECRET_NAME.test(name) || SECRET_VALUE.test(value);
  return isSecret ? `(kept secret: ${value.length} characters)` : value;
}

/**
 * Returns the part of a session that changes the meaning of a command or the things it works with, and its digest.
 * @param names the variables that the command may read
 */
export function executionContextOf({ folder, variables }: Session, names: readonly string[] = []): ExecutionContext {
  const meant = variables.filter(changesMeaning).toSorted();
  const used = variables.filter((variable) => !meant.includes(variable) && isUsed(nameOf(variable), names)).toSorted();
  const digest = digestOf(used.length === 0 ? [folder, meant] : [folder, meant, used]);
  const uses = used.length === 0 ? {} : { uses: used.map(shown) };
  return { folder, variables: meant.map(shown), ...uses, digest, variablesDigest: digestOf(meant) };
}

/**
 * Returns the folders of the workspace and of mounts in which a carried PATH finds programs. Those of the image are the
 * same for every command.
 */
export function programFolders({ folder, variables }: Session): readonly BoundFile[] {
  const carried = variables.find((variable) => nameOf(variable) === 'PATH')?.slice('PATH='.length) ?? '';
  const folders = carried === '' ? [] : carried.split(':').map((each) => posix.resolve(folder, each));
  return [...new Set(folders)].filter((each) => !OF_IMAGE.test(each)).map((path) => ({ path, use: 'runs' }));
}

const OF_IMAGE = /^\/(?:usr|bin|sbin|lib|opt|root|home)(?:\/|$)/;

const isUsed = (name: string, names: readonly string[]): boolean =>
  names.includes(name) || names.includes(ALL_NAMES) || SUBJECT.test(name);

function shown(variable: string): { readonly name: string; readonly value: string } {
  const name = nameOf(variable);
  return { name, value: shownValue(name, variable.slice(name.length + 1)) };
}

function digestOf(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('hex');
}

/** Returns a session without the variables that change the meaning of commands, which then run with the image's own. */
export function pinned({ folder, variables }: Session): Session {
  return { folder, variables: variables.filter((variable) => !changesMeaning(variable)) };
}

/**
 * Returns the session after a pinned command: its own session, plus the variables that it ran without, unless it set
 * them.
 */
export function unpinned(left: Session, before: Session): Session {
  const names = new Set(left.variables.map(nameOf));
  const withheld = before.variables.filter((variable) => changesMeaning(variable) && !names.has(nameOf(variable)));
  return { folder: left.folder, variables: [...left.variables, ...withheld].toSorted() };
}

function nameOf(variable: string): string {
  return variable.slice(0, variable.indexOf('='));
}

const SESSION_MAX_BYTES = 64 * 1024;
const FOLDER_MAX_BYTES = 4_095;
const VARIABLE = /^[A-Za-z_][A-Za-z0-9_]*=/;
/** The shell's own variables. Every shell sets them again, forbids setting them, or reads them before its command. */
const SHELLS_OWN =
  /^(?:_|BASH\w*|SHELLOPTS|SHLVL|PWD|OLDPWD|PPID|E?UID|ENV|HOSTNAME|DIRSTACK|FUNCNAME|GROUPS|PIPESTATUS)=/;

/**
 * Parses the launcher's session: the folder with a newline, each NAME=VALUE, and `.` as proof that nothing was cut off.
 * NUL follows each of them. Variables in `base`, which every container has, are omitted, so that they can change later.
 * @returns null if the session is malformed or larger than 64 KiB. The previous session then stays.
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

/** Returns only the items followed by NUL, because the rest was cut off. */
function splitAtNul(bytes: Buffer): Buffer[] {
  const parts: Buffer[] = [];
  for (let from = 0, at = bytes.indexOf(0); at >= 0; from = at + 1, at = bytes.indexOf(0, from)) {
    parts.push(bytes.subarray(from, at));
  }
  return parts;
}

/** Decodes UTF-8. Returns undefined if the bytes are not UTF-8, because decoding would change them. */
function textOf(bytes: Buffer | undefined): string | undefined {
  const text = bytes?.toString();
  return text !== undefined && bytes?.equals(Buffer.from(text)) === true ? text : undefined;
}
