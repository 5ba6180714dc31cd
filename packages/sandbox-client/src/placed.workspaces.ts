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
import type { SandboxRouter } from './sandbox.router.js';
import { Workspaces, type Download, type OutputDownload } from './workspaces.port.js';

/** The workspaces of several sandbox services. */
export class PlacedWorkspaces extends Workspaces {
  constructor(private readonly router: SandboxRouter) {
    super();
  }

  override async list(workspaceId: string, path: string, signal: AbortSignal): Promise<FileList> {
    return (await this.of(workspaceId)).list(workspaceId, path, signal);
  }

  override async read(workspaceId: string, path: string, form: FileForm, signal: AbortSignal): Promise<Download> {
    return (await this.of(workspaceId)).read(workspaceId, path, form, signal);
  }

  override async write(
    workspaceId: string,
    path: string,
    form: FileForm,
    body: AsyncIterable<Uint8Array>,
    signal: AbortSignal,
  ): Promise<void> {
    const { service } = await this.router.placed(workspaceId, signal);
    return service.workspaces.write(workspaceId, path, form, body, signal);
  }

  override async backup(workspaceId: string, signal: AbortSignal): Promise<Download> {
    return (await this.of(workspaceId)).backup(workspaceId, signal);
  }

  override async putBack(workspaceId: string, tar: AsyncIterable<Uint8Array>, signal: AbortSignal): Promise<void> {
    const { service } = await this.router.placed(workspaceId, signal);
    return service.workspaces.putBack(workspaceId, tar, signal);
  }

  override async putBackHeld(
    workspaceId: string,
    held: HeldRun,
    tar: AsyncIterable<Uint8Array>,
    signal: AbortSignal,
  ): Promise<void> {
    const { service } = await this.router.placed(workspaceId, signal);
    return service.workspaces.putBackHeld(workspaceId, held, tar, signal);
  }

  override async preview(workspaceId: string, request: PreviewRequestInput, signal: AbortSignal): Promise<CopyPreview> {
    const { service, carryOver, image } = await this.router.holding(workspaceId);
    const asRun = { carryOver, ...(image === null ? {} : { image }), ...request };
    return service.workspaces.preview(workspaceId, asRun, signal);
  }

  override async snapshot(workspaceId: string, actionId: string, signal: AbortSignal): Promise<Snapshot> {
    return (await this.of(workspaceId)).snapshot(workspaceId, actionId, signal);
  }

  override async snapshots(workspaceId: string, signal: AbortSignal): Promise<readonly Snapshot[]> {
    return (await this.of(workspaceId)).snapshots(workspaceId, signal);
  }

  override async changes(
    workspaceId: string,
    actionId: string,
    page: ListChanges,
    signal: AbortSignal,
  ): Promise<ChangeList> {
    return (await this.of(workspaceId)).changes(workspaceId, actionId, page, signal);
  }

  override async output(workspaceId: string, actionId: string, signal: AbortSignal): Promise<OutputDownload | null> {
    return (await this.of(workspaceId)).output(workspaceId, actionId, signal);
  }

  override async previewUndo(
    workspaceId: string,
    actionId: string,
    scope: UndoScope,
    signal: AbortSignal,
  ): Promise<UndoPreview> {
    return (await this.of(workspaceId)).previewUndo(workspaceId, actionId, scope, signal);
  }

  override async restore(
    workspaceId: string,
    actionId: string,
    scope: UndoScope,
    signal: AbortSignal,
  ): Promise<Snapshot> {
    return (await this.of(workspaceId)).restore(workspaceId, actionId, scope, signal);
  }

  override async remove(workspaceId: string, signal: AbortSignal): Promise<void> {
    return (await this.of(workspaceId)).remove(workspaceId, signal);
  }

  private async of(workspaceId: string): Promise<Workspaces> {
    return (await this.router.holding(workspaceId)).service.workspaces;
  }
}
