import { laidOutMode } from '@aish/contracts/bound-digest';
import type { HeldRun } from '@aish/contracts/backup';
import type { ChangeList, ListChanges } from '@aish/contracts/effects';
import type {
  FileForm,
  FileList,
  CopyPreview,
  PreviewRequestInput,
  Snapshot,
  UndoPreview,
  UndoScope,
} from '@aish/contracts/files';
import { pack } from 'tar-stream';

/** A file, or a tar, on its way. `sizeBytes` is null where it is not known beforehand. */
export interface Download {
  readonly sizeBytes: number | null;
  readonly body: ReadableStream<Uint8Array>;
}

/** A text on its way; `omittedBytes` are left out of its middle. */
export interface OutputDownload {
  readonly omittedBytes: number;
  readonly body: ReadableStream<Uint8Array>;
}

/**
 * What lies in the workspaces that commands run in. Everything may throw AishError `sandbox_unreachable`,
 * `engine_unavailable`, `image_missing`, `too_many`, `service_stopping`, `disk_full`, and `aborted` for the signal.
 */
export abstract class Workspaces {
  /** @throws AishError `file_not_found`, `path_not_allowed` */
  abstract list(workspaceId: string, path: string, signal: AbortSignal): Promise<FileList>;

  /**
   * A tar names in its last entry what it does not hold (`SKIPPED_LIST`).
   * @throws AishError `file_not_found`, `path_not_allowed`; later the body breaks off.
   */
  abstract read(workspaceId: string, path: string, form: FileForm, signal: AbortSignal): Promise<Download>;

  /** Puts a file there, or unpacks a tar. @throws AishError `file_too_large`, `path_not_allowed`, `invalid_body` */
  abstract write(
    workspaceId: string,
    path: string,
    form: FileForm,
    body: AsyncIterable<Uint8Array>,
    signal: AbortSignal,
  ): Promise<void>;

  /**
   * All files as a tar, without what waits for a verdict; that lies beside them, and in `held.json` whose it is. It names in its
   * last entry what it does not hold.
   * @throws AishError `file_not_found`
   */
  abstract backup(workspaceId: string, signal: AbortSignal): Promise<Download>;

  /** Puts the files of such a tar there. @throws AishError `locked`, `disk_full` */
  abstract putBack(workspaceId: string, tar: AsyncIterable<Uint8Array>, signal: AbortSignal): Promise<void>;

  /** Makes wait again, over those files, what waits in such a tar. @throws AishError `locked`, `hold_unavailable`, `disk_full` */
  abstract putBackHeld(
    workspaceId: string,
    held: HeldRun,
    tar: AsyncIterable<Uint8Array>,
    signal: AbortSignal,
  ): Promise<void>;

  /** What a command does, before it counts. @throws AishError `preview_too_large`, `file_not_found`, and as a run */
  abstract preview(workspaceId: string, request: PreviewRequestInput, signal: AbortSignal): Promise<CopyPreview>;

  /**
   * Keeps the workspace as it is before an action, once per action. Where commands have layers, each is kept by itself.
   * @throws AishError `snapshot_too_large`: none was taken.
   */
  abstract snapshot(workspaceId: string, actionId: string, signal: AbortSignal): Promise<Snapshot>;

  /** Newest first. */
  abstract snapshots(workspaceId: string, signal: AbortSignal): Promise<readonly Snapshot[]>;

  /** All that a command did to it, in pages, as long as its layer is there. @throws AishError `changes_not_kept` */
  abstract changes(workspaceId: string, actionId: string, page: ListChanges, signal: AbortSignal): Promise<ChangeList>;

  /** All that a command printed, where that was long and is kept; null where not. */
  abstract output(workspaceId: string, actionId: string, signal: AbortSignal): Promise<OutputDownload | null>;

  /** What `restore` would do, which is done to nothing. @throws AishError `snapshot_not_found` */
  abstract previewUndo(
    workspaceId: string,
    actionId: string,
    scope: UndoScope,
    signal: AbortSignal,
  ): Promise<UndoPreview>;

  /**
   * Puts the workspace back; with `only`, what one command did, where nobody touched the same since.
   * @throws AishError `snapshot_not_found`, `undo_overlaps`, `locked` while a command runs there.
   */
  abstract restore(workspaceId: string, actionId: string, scope: UndoScope, signal: AbortSignal): Promise<Snapshot>;

  /** Deletes it with all that is in it. One that is not there is as good as deleted. @throws AishError `locked` */
  abstract remove(workspaceId: string, signal: AbortSignal): Promise<void>;
}

/**
 * Puts files into a folder of a workspace that commands read and run, and do not write: what begins with `#!` may be run.
 * @throws AishError as `Workspaces.write`.
 */
export async function putReadOnly(
  workspaces: Pick<Workspaces, 'write'>,
  workspaceId: string,
  folder: string,
  files: ReadonlyMap<string, Buffer>,
  signal: AbortSignal,
): Promise<void> {
  const tar = pack();
  // Whole files at once: as a stream it takes one entry at a time.
  for (const [path, content] of files) tar.entry({ name: `${folder}/${path}`, mode: laidOutMode(content) }, content);
  tar.finalize();
  await workspaces.write(workspaceId, '.', 'archive', tar, signal);
}
