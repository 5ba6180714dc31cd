import { readFileSync } from 'node:fs';
import { Readable } from 'node:stream';
import type { SandboxConfig } from '@aish/contracts/config/sandbox.config';
import { FILES_LISTED_MAX, type FileEntry, type FileForm, type FileList } from '@aish/contracts/files';
import { AishError } from '@aish/contracts/problems';
import type { HelperEngine, HelperTask } from '../engine/helper.engine.js';
import type { Helper, HelperEnd } from '../engine/helper.js';
import type { Holds } from '../layers/holds.js';
import type { WorkspaceSpace } from '../workspaces/workspace.space.js';
import { Slots } from '../scheduling/slots.js';
import { checkedTar } from './checked-tar.js';
import { Spool, atMost, tooLarge } from './spool.js';
import { workspacePath } from './workspace-path.js';

// Beside dist and src alike.
const SCRIPT = readFileSync(new URL('../../scripts/files.sh', import.meta.url), 'utf8').replaceAll(/^ *#.*\n/gm, '');
const MIB = 2 ** 20;
const LIST_TIMEOUT_MS = 20_000;
/** A whole transfer, however slow the other side is. */
const MOVE_TIMEOUT_MS = 10 * 60_000;
/** Each may hold FILES_MAX_MB of this service's disk for as long as it is sent. */
const DOWNLOADS_AT_ONCE = 8;
const DOWNLOADS_QUEUED = 32;
const LISTING_MAX_BYTES = 16 * MIB;
const HEAD_MAX_BYTES = 64;

/** A file, or a tar, on its way out. */
export interface Download {
  readonly sizeBytes: number;
  readonly body: Readable;
}

/** Files of a workspace, in and out. All of it happens in helpers: see HelperEngine for why that is safe. */
export class FilesService {
  private readonly downloads = new Slots(DOWNLOADS_AT_ONCE, DOWNLOADS_QUEUED);

  constructor(
    private readonly helpers: HelperEngine,
    private readonly space: WorkspaceSpace,
    private readonly holds: Holds,
    private readonly config: SandboxConfig,
  ) {}

  /** @throws AishError `file_not_found`, `path_not_allowed` */
  async list(workspaceId: string, path: string, signal: AbortSignal): Promise<FileList> {
    const whole = workspacePath(path);
    await this.helpers.needWorkspace(workspaceId);
    const task = this.task(workspaceId, ['list', whole, String(FILES_LISTED_MAX + 1)], LIST_TIMEOUT_MS);
    const { stdout, ...end } = await this.helpers.run(task, signal, LISTING_MAX_BYTES);
    this.refuse(end, path);
    const all = entriesOf(stdout);
    const items = all.slice(0, FILES_LISTED_MAX).toSorted((a, b) => (a.name < b.name ? -1 : 1));
    return { path: whole, items, isCut: all.length > items.length };
  }

  /**
   * Reads a file, or anything as a tar, to this service's disk, and sends it from there: however slow the other side is,
   * nobody else waits for it. The body breaks off when that takes too long.
   * @throws AishError `file_not_found`, `file_too_large`, `path_not_allowed`, `too_many`, `disk_full`
   */
  async read(workspaceId: string, path: string, form: FileForm, signal: AbortSignal): Promise<Download> {
    workspacePath(path);
    await this.helpers.needWorkspace(workspaceId);
    const giveBack = await this.downloads.take(signal);
    if (giveBack === null) throw new AishError('aborted', 'Nobody waits for this any more');
    try {
      const spool = await this.fetch(workspaceId, path, form, signal);
      const body = spool.read();
      const bounded = AbortSignal.any([signal, AbortSignal.timeout(MOVE_TIMEOUT_MS)]);
      const cut = () => body.destroy();
      bounded.addEventListener('abort', cut, { once: true });
      body.once('close', () => {
        bounded.removeEventListener('abort', cut);
        giveBack();
        void spool.close();
      });
      if (bounded.aborted) cut();
      return { sizeBytes: spool.sizeBytes, body };
    } catch (error) {
      giveBack();
      throw error;
    }
  }

  private async fetch(workspaceId: string, path: string, form: FileForm, signal: AbortSignal): Promise<Spool> {
    const whole = workspacePath(path);
    const task = this.task(workspaceId, [form, whole, String(this.config.FILES_MAX_MB * MIB)], MOVE_TIMEOUT_MS);
    const helper = await this.helpers.open(task, signal);
    try {
      const { head, rest } = await this.head(helper);
      if (head === null) {
        this.refuse(await helper.end(), path);
        throw new AishError('internal', 'A helper said nothing');
      }
      const sizeBytes = form === 'file' ? Number(head) : null;
      const body = Readable.from(this.body(helper, rest, sizeBytes), { objectMode: false });
      return await Spool.of([body], this.config.SANDBOX_STATE_DIR);
    } finally {
      await helper.close();
    }
  }

  /**
   * Puts a file there, or unpacks a tar into a folder; all of it, or nothing where it is refused beforehand. Folders on
   * the way are made. It is unpacked between two commands.
   * @throws AishError `file_too_large`, `path_not_allowed`, `disk_full`, `invalid_body` (no tar), `locked`
   */
  async write(workspaceId: string, path: string, form: FileForm, body: Readable, signal: AbortSignal): Promise<void> {
    const whole = workspacePath(path);
    const full = this.space.whyFull(workspaceId);
    if (full !== null) throw new AishError('disk_full', full);
    await this.holds.needSettled(workspaceId);
    const limit = atMost(this.config.FILES_MAX_MB);
    const folder = this.config.SANDBOX_STATE_DIR;
    const spool = await Spool.of(form === 'file' ? [body, limit] : [body, limit, checkedTar()], folder);
    try {
      // A command may have begun since, and even ended: what comes now is none of its doing.
      await this.holds.change(workspaceId, signal, async () => {
        const args = [`put-${form}`, whole, String(spool.sizeBytes)];
        const task = this.task(workspaceId, args, MOVE_TIMEOUT_MS, spool.read());
        this.refuse(await this.helpers.run(task, signal, HEAD_MAX_BYTES), path);
      });
    } finally {
      await spool.close();
    }
  }

  private task(workspaceId: string, args: readonly string[], timeoutMs: number, input?: Readable): HelperTask {
    return {
      command: ['bash', '-c', SCRIPT, 'aish', ...args],
      volumes: [this.helpers.workspace(workspaceId, input === undefined)],
      timeoutMs,
      ...(input === undefined ? {} : { input }),
    };
  }

  /** The first line, without its end, and what came with it; null when the output ended before. */
  private async head(helper: Helper): Promise<{ head: string | null; rest: Buffer }> {
    let seen = Buffer.alloc(0);
    for (;;) {
      const { value, done } = await helper.output.next();
      if (done === true || seen.length > HEAD_MAX_BYTES) return { head: null, rest: seen };
      seen = Buffer.concat([seen, value]);
      const end = seen.indexOf('\n');
      if (end >= 0) return { head: seen.subarray(0, end).toString(), rest: seen.subarray(end + 1) };
    }
  }

  private async *body(helper: Helper, first: Buffer, sizeBytes: number | null): AsyncGenerator<Uint8Array> {
    let sent = first.length;
    if (first.length > 0) yield first;
    for await (const bytes of helper.output) {
      sent += bytes.length;
      if (sizeBytes === null && sent > this.archiveMaxBytes) throw tooLarge(this.config.FILES_MAX_MB);
      yield bytes;
    }
    const { exitCode, stderr } = await helper.end();
    if (exitCode !== 0 || (sizeBytes !== null && sent !== sizeBytes)) {
      throw new AishError('sandbox_interrupted', `The file could not be read to its end: ${stderr}`);
    }
  }

  /** A tar is larger than what it holds: 1 KiB for each entry, as a rule. */
  private get archiveMaxBytes(): number {
    return this.config.FILES_MAX_MB * MIB * 2;
  }

  private refuse({ exitCode, stderr }: HelperEnd, path: string): void {
    const shown = path === '' ? '/workspace' : path;
    switch (exitCode) {
      case 0:
        return;
      case 40:
        throw new AishError('path_not_allowed', `${shown}: ${stderr}`);
      case 43:
        throw tooLarge(this.config.FILES_MAX_MB);
      case 44:
        throw new AishError('file_not_found', `${shown}: ${stderr}`);
      case 45:
        throw new AishError('path_not_allowed', `${shown}: ${stderr}; folders are moved as tar`);
      case 48:
        throw new AishError('disk_full', `${shown}: ${stderr}`);
      case null:
        throw new AishError('sandbox_interrupted', `${shown}: it took too long, or nobody waited for it any more`);
      default:
        throw new AishError('internal', `A helper ended with ${exitCode}: ${stderr}`);
    }
  }
}

const TYPES: Readonly<Record<string, FileEntry['type']>> = { f: 'file', d: 'folder', l: 'link' };

/** Five fields for each, a NUL behind every one. */
function entriesOf(listing: Buffer): FileEntry[] {
  const fields = listing.toString().split('\0');
  const entries: FileEntry[] = [];
  for (let at = 0; at + 5 < fields.length; at += 5) {
    const [kind = '', size, modified, name = '', target = ''] = fields.slice(at, at + 5);
    entries.push({
      name,
      type: TYPES[kind] ?? 'other',
      sizeBytes: Number(size),
      modifiedAt: new Date(Number(modified) * 1_000).toISOString(),
      target: kind === 'l' ? target : null,
    });
  }
  return entries;
}
