import { createHash } from 'node:crypto';
import { HOST_FILE_HEAD_MAX_BYTES as HEAD_MAX_BYTES, type HostFile } from '@aish/contracts/execution-context';

/** Prints the hash of a file, `missing` or `unread`. Runs under dash, bash and BusyBox, on Linux, BSD and macOS. */
const HASH = String.raw`h() { if [ -f "$1" ] && [ -r "$1" ]; then { if command -v sha256sum >/dev/null; then sha256sum; elif command -v shasum >/dev/null; then shasum -a 256; else sha256 -q; fi; } <"$1" | cut -c1-64; elif [ -e "$1" ] || [ -L "$1" ]; then echo unread; else echo missing; fi; }`;

/** Returns the command with which a host shows these files. It writes nothing. */
export function lookCommand(paths: readonly string[]): string {
  const text = String.raw`${HASH}
for f; do x=$(h "$f"); case $x in missing|unread) echo "$x" ;; *) echo "$x $(wc -c <"$f")"; head -c ${HEAD_MAX_BYTES + 1} <"$f" | base64 | sed "s/^/| /" ;; esac; done
echo end`;
  return `exec sh -c ${quoted(text)} sh ${paths.map(quoted).join(' ')}`;
}

/** A file on a host, as aish read it. */
export type SeenFile = Pick<HostFile, 'path' | 'content' | 'bytes' | 'head'>;

const UNREAD = { content: null, bytes: 0, head: '' };

/** Reads the output of `lookCommand`. A file without clear output counts as unread. */
export function seenFiles(paths: readonly string[], output: string): readonly SeenFile[] {
  const lines = output.split('\n');
  const heads = lines.flatMap((line, at) => (/^(?:missing|unread|[0-9a-f]{64} +\d+)$/.test(line) ? [at] : []));
  const isWhole = heads.length === paths.length && lines.includes('end');
  return paths.map((path, nth) => {
    const at = heads[nth];
    if (!isWhole || at === undefined) return { path, ...UNREAD };
    const [hash = '', size = '0'] = (lines[at] ?? '').split(/ +/);
    if (hash === 'missing') return { path, content: 'missing', bytes: 0, head: '' };
    if (hash === 'unread') return { path, ...UNREAD };
    const printed = lines.slice(at + 1, heads[nth + 1] ?? lines.length).filter((line) => line.startsWith('| '));
    const data = Buffer.from(printed.map((line) => line.slice(2)).join(''), 'base64');
    // The host read the file twice. For a short file, this is the hash of exactly the content that a person sees.
    const content = data.length > HEAD_MAX_BYTES ? hash : createHash('sha256').update(data).digest('hex');
    return { path, content, bytes: Number(size), head: data.subarray(0, HEAD_MAX_BYTES).toString('utf8') };
  });
}

/**
 * Returns the command line with a check in front, so that it runs only if the files are unchanged. The check and the
 * command share one connection and one shell. A private copy of the script would close the gap between them, but a copy
 * is a different script: its `$0` and its folder differ, and sudo rules name the path.
 */
export function checkedCommand(command: string, files: readonly HostFile[]): string {
  const known = files.filter(({ content }) => content !== null);
  if (known.length === 0) return command;
  const text = String.raw`${HASH}
while [ $# -gt 0 ]; do [ "$(h "$1")" = "$2" ] || { echo "aish: $1 is not what a person approved; nothing ran" >&2; exit 1; }; shift 2; done`;
  const words = known.map(({ path, content }) => `${quoted(path)} ${content}`);
  return `sh -c ${quoted(text)} sh ${words.join(' ')} </dev/null || exit 126; ${command}`;
}

export function quoted(word: string): string {
  // The login shell expands its user's home folder.
  const home = /^~(?=\/|$)/.test(word);
  const text = `'${(home ? word.slice(1) : word).replaceAll("'", `'\\''`)}'`;
  return home ? `"$HOME"${text}` : text;
}
