import { createHash } from 'node:crypto';
import { ALL_NAMES, type CommandSurroundings } from '@aish/contracts/surroundings';
import { z } from 'zod';

/** What one command hands on to the next of its workspace. */
export const Session = z.object({
  folder: z.string(),
  /** Exported variables that the container does not have by itself, as NAME=VALUE. */
  variables: z.array(z.string()),
});
export type Session = z.infer<typeof Session>;

export const NEW_SESSION: Session = { folder: '/workspace', variables: [] };

/**
 * Variables that change what a command means: where programs are found, and what these load or run of themselves. Not those
 * that only name a folder of settings (a workspace can change these anyway), nor commands for people (EDITOR, PAGER), which the
 * rules read where they are set.
 */
const MEANING =
  /^(?:PATH|LD_\w*|BASH_ENV|ENV|IFS|SHELLOPTS|PS4|PROMPT_COMMAND|GIT_\w*|PYTHON\w*|NODE_(?:OPTIONS|PATH)|PERL5\w*|PERLLIB|RUBY(?:OPT|LIB)|JAVA_TOOL_OPTIONS|MAKE(?:FLAGS|FILES)|TAR_OPTIONS|RSYNC_RSH|CDPATH|GLOBIGNORE|EXECIGNORE|ZIP(?:OPT)?|UNZIP(?:OPT)?|GOFLAGS|RUSTC_\w*WRAPPER|JDK_JAVA_OPTIONS|_JAVA_OPTIONS|npm_config_\w+|NPM_CONFIG_\w+|LUA_INIT\w*|GCONV_PATH|PHPRC|PHP_INI_SCAN_DIR|DOTNET_STARTUP_HOOKS|OPENSSL_CONF|VIMINIT|EXINIT|ERL_\w*FLAGS|R_PROFILE\w*|RSYNC_CONNECT_PROG|LESS(?:OPEN|CLOSE)|RIPGREP_CONFIG_PATH|CURL_HOME|WGETRC)=/;
/** Of those, what says who or how, and runs nothing. */
const HARMLESS =
  /^(?:GIT_(?:AUTHOR|COMMITTER)_\w*|GIT_TERMINAL_PROMPT|PYTHON(?:UNBUFFERED|DONTWRITEBYTECODE|IOENCODING|HASHSEED|UTF8))=/;

/** Variables that say which machine, cluster, account or database a command works on. */
const SUBJECT =
  /^(?:KUBECONFIG|KUBE_CONTEXT|(?:DOCKER|CONTAINER|COMPOSE|HELM|AWS|AZURE|ARM|GOOGLE|CLOUDSDK|PG|MYSQL|REDIS|MONGO|RESTIC|BORG|RCLONE|ANSIBLE|TF|VAULT|CONSUL|NOMAD|ETCDCTL|PROXMOX|PVE|LIBVIRT|OS|INCUS|LXD)_?[A-Z]\w*)$/;

export function changesMeaning(variable: string): boolean {
  return MEANING.test(variable) && !HARMLESS.test(variable);
}

/** Names whose values open something: headers that git sends, tokens. */
const SECRET_NAME = /^GIT_CONFIG_(?:VALUE_\d+|PARAMETERS)$|TOKEN|PASS|SECRET|CREDENTIAL|AUTH|_KEY$/;
/** Secret values, under any name: `https://name:password@host`, a header of HTTP. */
const SECRET_VALUE = /:\/\/[^/\s:@]*:[^/\s@]+@|\bsshpass\s+-p|\bauthorization\s*[:=]/i;

/** A value as people and records have it. The digest binds what it really is. */
function shownValue(name: string, value: string): string {
  const isSecret = SECRET_NAME.test(name) || SECRET_VALUE.test(value);
  return isSecret ? `(kept secret: ${value.length} characters)` : value;
}

/**
 * The part of a session that changes what a command means, what the command works with or on, and the digest of it.
 * @param names variables that the command may read.
 */
export function surroundingsOf({ folder, variables }: Session, names: readonly string[] = []): CommandSurroundings {
  const meant = variables.filter(changesMeaning).toSorted();
  const used = variables.filter((variable) => !meant.includes(variable) && isUsed(nameOf(variable), names)).toSorted();
  const digest = digestOf(used.length === 0 ? [folder, meant] : [folder, meant, used]);
  const uses = used.length === 0 ? {} : { uses: used.map(shown) };
  return { folder, variables: meant.map(shown), ...uses, digest, variablesDigest: digestOf(meant) };
}

const isUsed = (name: string, names: readonly string[]): boolean =>
  names.includes(name) || names.includes(ALL_NAMES) || SUBJECT.test(name);

function shown(variable: string): { readonly name: string; readonly value: string } {
  const name = nameOf(variable);
  return { name, value: shownValue(name, variable.slice(name.length + 1)) };
}

function digestOf(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('hex');
}

/** A session without the variables that change meaning: commands run with the image's own. */
export function pinned({ folder, variables }: Session): Session {
  return { folder, variables: variables.filter((variable) => !changesMeaning(variable)) };
}

/** What a pinned command leaves: its own session, and what was kept from it, unless it set that itself. */
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
/**
 * Variables of the shell itself: every shell sets them again, forbids to set them, or reads them before its command.
 */
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
