import type { HeldRun } from '@aish/contracts/backup';
import { ChangeList, type ListChanges } from '@aish/contracts/effects';
import {
  FILE_MEDIA_TYPES,
  FileList,
  CopyPreview,
  type PreviewRequestInput,
  Snapshot,
  SnapshotList,
  UndoPreview,
  UndoScope,
  type FileForm,
} from '@aish/contracts/files';
import { AishError } from '@aish/contracts/problems';
import { OMITTED_BYTES_HEADER } from '@aish/contracts/runs';
import { ask, problemOf, type ServiceAddress, type ServiceRequest } from './service.request.js';
import { Workspaces, type Download, type OutputDownload } from './workspaces.port.js';

const ANSWER_TIMEOUT_MS = 30_000;
/** The time limit in milliseconds. Copying a whole workspace takes a while. */
const COPY_TIMEOUT_MS = 120_000;
const MOVE_TIMEOUT_MS = 10 * 60_000;

/** The workspaces of the sandbox service, over HTTP. */
export class HttpWorkspaces extends Workspaces {
  private readonly service: ServiceAddress;

  constructor(baseUrl: string, token: string) {
    super();
    this.service = { baseUrl, token };
  }

  override async list(workspaceId: string, path: string, signal: AbortSignal): Promise<FileList> {
    return FileList.parse(await this.json('GET', at(workspaceId, 'files', path), signal, ANSWER_TIMEOUT_MS));
  }

  override async read(workspaceId: string, path: string, form: FileForm, signal: AbortSignal): Promise<Download> {
    return this.download(at(workspaceId, form, path), signal);
  }

  override backup(workspaceId: string, signal: AbortSignal): Promise<Download> {
    return this.download(`/v1/workspaces/${workspaceId}/backup`, signal);
  }

  override putBack(workspaceId: string, tar: AsyncIterable<Uint8Array>, signal: AbortSignal): Promise<void> {
    return this.upload(`/v1/workspaces/${workspaceId}/backup`, 'archive', tar, signal);
  }

  override putBackHeld(
    workspaceId: string,
    { run, origin }: HeldRun,
    tar: AsyncIterable<Uint8Array>,
    signal: AbortSignal,
  ): Promise<void> {
    return this.upload(`/v1/workspaces/${workspaceId}/backup/held/${run}?origin=${origin}`, 'archive', tar, signal);
  }

  override async write(
    workspaceId: string,
    path: string,
    form: FileForm,
    body: AsyncIterable<Uint8Array>,
    signal: AbortSignal,
  ): Promise<void> {
    await this.upload(at(workspaceId, form, path), form, body, signal);
  }

  override async preview(workspaceId: string, request: PreviewRequestInput, signal: AbortSignal): Promise<CopyPreview> {
    const path = `/v1/workspaces/${workspaceId}/preview`;
    return CopyPreview.parse(await this.json('POST', path, signal, COPY_TIMEOUT_MS, request));
  }

  override async snapshot(workspaceId: string, actionId: string, signal: AbortSignal): Promise<Snapshot> {
    const path = `/v1/workspaces/${workspaceId}/snapshots`;
    return Snapshot.parse(await this.json('POST', path, signal, COPY_TIMEOUT_MS, { actionId }));
  }

  override async snapshots(workspaceId: string, signal: AbortSignal): Promise<readonly Snapshot[]> {
    const path = `/v1/workspaces/${workspaceId}/snapshots`;
    return SnapshotList.parse(await this.json('GET', path, signal, ANSWER_TIMEOUT_MS)).items;
  }

  override async changes(
    workspaceId: string,
    actionId: string,
    { cursor = '0', limit }: ListChanges,
    signal: AbortSignal,
  ): Promise<ChangeList> {
    const path = `/v1/workspaces/${workspaceId}/changes/${actionId}?cursor=${cursor}&limit=${limit}`;
    return ChangeList.parse(await this.json('GET', path, signal, ANSWER_TIMEOUT_MS));
  }

  override async output(workspaceId: string, actionId: string, signal: AbortSignal): Promise<OutputDownload | null> {
    const path = `/v1/workspaces/${workspaceId}/outputs/${actionId}`;
    const response = await ask(this.service, { method: 'GET', path, signal, timeoutMs: ANSWER_TIMEOUT_MS });
    if (response.status === 404) {
      await response.body?.cancel();
      return null;
    }
    if (!response.ok) throw await problemOf(response);
    if (response.body === null) throw new AishError('sandbox_interrupted', 'The sandbox sent an empty response');
    return { omittedBytes: Number(response.headers.get(OMITTED_BYTES_HEADER) ?? 0), body: response.body };
  }

  override async previewUndo(
    workspaceId: string,
    actionId: string,
    { only }: UndoScope,
    signal: AbortSignal,
  ): Promise<UndoPreview> {
    const path = `/v1/workspaces/${workspaceId}/snapshots/${actionId}?only=${only}`;
    return UndoPreview.parse(await this.json('GET', path, signal, ANSWER_TIMEOUT_MS));
  }

  override async restore(
    workspaceId: string,
    actionId: string,
    { only }: UndoScope,
    signal: AbortSignal,
  ): Promise<Snapshot> {
    const path = `/v1/workspaces/${workspaceId}/snapshots/${actionId}/restore?only=${only}`;
    return Snapshot.parse(await this.json('POST', path, signal, COPY_TIMEOUT_MS));
  }

  override async remove(workspaceId: string, signal: AbortSignal): Promise<void> {
    const path = `/v1/workspaces/${workspaceId}`;
    await this.answer({ method: 'DELETE', path, signal, timeoutMs: ANSWER_TIMEOUT_MS });
  }

  private async download(path: string, signal: AbortSignal): Promise<Download> {
    const response = await this.answer({ method: 'GET', path, signal, timeoutMs: MOVE_TIMEOUT_MS });
    const length = response.headers.get('content-length');
    if (response.body === null) throw new AishError('sandbox_interrupted', 'The sandbox sent an empty response');
    return { sizeBytes: length === null ? null : Number(length), body: response.body };
  }

  private async upload(
    path: string,
    form: FileForm,
    body: AsyncIterable<Uint8Array>,
    signal: AbortSignal,
  ): Promise<void> {
    const mediaType = FILE_MEDIA_TYPES[form];
    await this.answer({ method: 'PUT', path, signal, timeoutMs: MOVE_TIMEOUT_MS, mediaType, body });
  }

  private async json(
    method: ServiceRequest['method'],
    path: string,
    signal: AbortSignal,
    timeoutMs: number,
    body?: unknown,
  ): Promise<unknown> {
    const json = body === undefined ? {} : { mediaType: 'application/json', body: JSON.stringify(body) };
    return (await this.answer({ method, path, signal, timeoutMs, ...json })).json();
  }

  private async answer(request: ServiceRequest): Promise<Response> {
    const response = await ask(this.service, request);
    if (response.ok) return response;
    throw await problemOf(response);
  }
}

function at(workspaceId: string, what: string, path: string): string {
  return `/v1/workspaces/${workspaceId}/${what}?path=${encodeURIComponent(path)}`;
}
