import { readOnlyFileMode } from '@aish/contracts/bound-digest';
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

/** A file or tar being transferred. `sizeBytes` is null if it is not known in advance. */
export interface Download {
  readonly sizeBytes: number | null;
  readonly body: ReadableStream<Uint8Array>;
}

/** A text being transferred. `omittedBytes` is the number of bytes missing in its middle. */
export interface OutputDownload {
  readonly omittedBytes: number;
  readonly body: ReadableStream<Uint8Array>;
}

/**
 * The files of workspaces. Every method may throw AishError `sandbox_unreachable`, `engine_unavailable`,
 * `image_missing`, `too_many`, `service_stopping`, `disk_full`, and `aborted` for the signal.
 */
export abstract class Workspaces {
  /** @throws AishError `file_not_found`, `path_not_allowed` */
  abstract list(workspaceId: string, path: string, signal: AbortSignal): Promise<FileList>;

  /**
   * Reads a file or a tar. The last entry of a tar lists the skipped files (`SKIPPED_LIST`).
   *
   * @throws AishError `file_not_found`, `path_not_allowed`. After the body has begun, an error breaks it off.
   */
  abstract read(workspaceId: string, path: string, form: FileForm, signal: AbortSignal): Promise<Download>;

  /**
   * Writes a file, or unpacks a tar.
   *
   * @throws AishError `file_too_large`, `path_not_allowed`, `invalid_body`
   */
  abstract write(
    workspaceId: string,
    path: string,
    form: FileForm,
    body: AsyncIterable<Uint8Array>,
    signal: AbortSignal,
  ): Promise<void>;

  /**
   * Returns all files as a tar, without held changes. Those are beside them, and `held.json` names their owners. The
   * last entry lists the skipped files.
   *
   * @throws AishError `file_not_found`
   */
  abstract backup(workspaceId: string, signal: AbortSignal): Promise<Download>;

  /**
   * Restores the files from a tar of `backup`.
   *
   * @throws AishError `locked`, `disk_full`
   */
  abstract putBack(workspaceId: string, tar: AsyncIterable<Uint8Array>, signal: AbortSignal): Promise<void>;

  /**
   * Restores the held changes from a tar of `backup`, on top of the restored files.
   *
   * @throws AishError `locked`, `hold_unavailable`, `disk_full`
   */
  abstract putBackHeld(
    workspaceId: string,
    held: HeldRun,
    tar: AsyncIterable<Uint8Array>,
    signal: AbortSignal,
  ): Promise<void>;

  /**
   * Runs a command as a preview.
   *
   * @throws AishError `preview_too_large`, `file_not_found`, and the errors of a run
   */
  abstract preview(workspaceId: string, request: PreviewRequestInput, signal: AbortSignal): Promise<CopyPreview>;

  /**
   * Saves the workspace before an action, once per action. If commands have layers, each layer is kept instead.
   *
   * @throws AishError `snapshot_too_large` if none was taken.
   */
  abstract snapshot(workspaceId: string, actionId: string, signal: AbortSignal): Promise<Snapshot>;

  /** Lists the snapshots of a workspace, newest first. */
  abstract snapshots(workspaceId: string, signal: AbortSignal): Promise<readonly Snapshot[]>;

  /**
   * Returns all changes of a command, in pages, while its layer exists.
   *
   * @throws AishError `changes_not_kept`
   */
  abstract changes(workspaceId: string, actionId: string, page: ListChanges, signal: AbortSignal): Promise<ChangeList>;

  /** Returns the whole output of a command if it was long and is stored; otherwise null. */
  abstract output(workspaceId: string, actionId: string, signal: AbortSignal): Promise<OutputDownload | null>;

  /**
   * Previews `restore` without changing anything.
   *
   * @throws AishError `snapshot_not_found`
   */
  abstract previewUndo(
    workspaceId: string,
    actionId: string,
    scope: UndoScope,
    signal: AbortSignal,
  ): Promise<UndoPreview>;

  /**
   * Restores the workspace. With `only`, it undoes one command, provided that nothing has changed the same files since.
   *
   * @throws AishError `snapshot_not_found`, `undo_overlaps`, `locked` while a command runs there.
   */
  abstract restore(workspaceId: string, actionId: string, scope: UndoScope, signal: AbortSignal): Promise<Snapshot>;

  /**
   * Deletes a workspace. A missing one counts as deleted.
   *
   * @throws AishError `locked`
   */
  abstract remove(workspaceId: string, signal: AbortSignal): Promise<void>;
}

/**
 * Puts files into a folder of a workspace that commands can read and run, but not write. A file that begins with `#!`
 * is executable.
 *
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
  // The files are added as a whole, because as a stream the tar takes one entry at a time.
  for (const [path, content] of files)
    tar.entry({ name: `${folder}/${path}`, mode: readOnlyFileMode(content) }, content);
  tar.finalize();
  await workspaces.write(workspaceId, '.', 'archive', tar, signal);
}
