import type { Readable } from 'node:stream';
import type { SandboxConfig } from '@aish/contracts/config/sandbox.config';
import { FILES_LISTED_MAX, type FileEntry, type FileForm, type FileList } from '@aish/contracts/files';
import { AishError } from '@aish/contracts/problems';
import type { HelperEngine, HelperTask } from '../engine/helper.engine.js';
import type { HelperEnd } from '../engine/helper.js';
import { shellScript } from '../engine/script.js';
import type { Holds } from '../layers/holds.js';
import type { WorkspaceSpace } from '../workspaces/workspace.space.js';
import { Slots } from '../scheduling/slots.js';
import { checkedTar } from './checked-tar.js';
import { archiveCommand, MOVE_TIMEOUT_MS, openDownload, type Download } from './download.js';
import { Spool, atMost } from './spool.js';
import { workspacePath } from './workspace-path.js';

const SCRIPT = shellScript('files.sh');
const MIB = 2 ** 20;
const LIST_TIMEOUT_MS = 20_000;
/**
 * Each download may store an archive of a whole workspace on this service's disk while it is sent, so the number of
 * downloads is limited.
 */
const DOWNLOADS_AT_ONCE = 8;
const DOWNLOADS_QUEUED = 32;
const LISTING_MAX_BYTES = 16 * MIB;
const HEAD_MAX_BYTES = 64;

/** Moves files into and out of a workspace. Helpers do the work, and HelperEngine explains why that is safe. */
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
   * Reads a file, or any path as a tar that ends with a list of the omitted entries. The content is first copied to
   * this service's disk and sent from there, so that a slow client blocks nobody. The body breaks off if the transfer
   * takes too long.
   * @throws AishError `file_not_found`, `path_not_allowed`, `too_many`, `disk_full`, `sandbox_interrupted`
   */
  async read(workspaceId: string, path: string, form: FileForm, signal: AbortSignal): Promise<Download> {
    workspacePath(path);
    await this.helpers.needWorkspace(workspaceId);
    const giveBack = await this.downloads.take(signal);
    if (giveBack === null) throw new AishError('aborted', 'The request was closed');
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
    const task =
      form === 'file' ? this.task(workspaceId, ['file', whole], MOVE_TIMEOUT_MS) : this.archive(workspaceId, whole);
    const { body } = await openDownload(this.helpers, task, (end) => this.refuse(end, path), signal);
    return Spool.of([body], this.config.SANDBOX_STATE_DIR);
  }

  /**
   * Writes a file, or unpacks a tar into a folder. Missing folders are created. If the upload is refused beforehand,
   * nothing is written. The write happens between two commands.
   * @throws AishError `file_too_large`, `path_not_allowed`, `disk_full`, `invalid_body` (not a tar), `locked`
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
      // A command may have begun or ended in the meantime. The upload must not count as one of its changes.
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

  /** The archive includes unreadable files, because the workspace belongs to the caller. */
  private archive(workspaceId: string, path: string): HelperTask {
    return {
      command: archiveCommand(path, this.config.RUN_WORKSPACE_MAX_MB),
      volumes: [this.helpers.workspace(workspaceId, true)],
      timeoutMs: MOVE_TIMEOUT_MS,
      readsAll: true,
    };
  }

  private refuse({ exitCode, stderr }: HelperEnd, path: string): void {
    const shown = path === '' ? '/workspace' : path;
    switch (exitCode) {
      case 0:
        return;
      case 40:
        throw new AishError('path_not_allowed', `${shown}: ${stderr}`);
      case 44:
        throw new AishError('file_not_found', `${shown}: ${stderr}`);
      case 45:
        throw new AishError('path_not_allowed', `${shown}: ${stderr}; transfer folders as tar`);
      case 48:
        throw new AishError('disk_full', `${shown}: ${stderr}`);
      case null:
        throw new AishError('sandbox_interrupted', `${shown}: it took too long, or the request was closed`);
      default:
        throw new AishError('internal', `A helper container exited with code ${exitCode}: ${stderr}`);
    }
  }
}

const TYPES: Readonly<Record<string, FileEntry['type']>> = { f: 'file', d: 'folder', l: 'link' };

/** Parses a listing in which each entry has five fields, each followed by NUL. */
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
