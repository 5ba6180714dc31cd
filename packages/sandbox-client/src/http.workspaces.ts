import {
  AishError,
  FILE_MEDIA_TYPES,
  FileList,
  Preview,
  Snapshot,
  SnapshotList,
  isAishError,
  type FileForm,
} from '@aish/contracts';
import { problemOf } from './http.sandbox.js';
import { Workspaces, type Download } from './workspaces.port.js';

const ANSWER_TIMEOUT_MS = 30_000;
/** Copying a whole workspace takes a while. */
const COPY_TIMEOUT_MS = 120_000;
const MOVE_TIMEOUT_MS = 10 * 60_000;

/** The workspaces of the sandbox service, over HTTP. */
export class HttpWorkspaces extends Workspaces {
  constructor(
    private readonly baseUrl: string,
    private readonly token: string,
  ) {
    super();
  }

  override async list(workspaceId: string, path: string, signal: AbortSignal): Promise<FileList> {
    return FileList.parse(await this.json('GET', at(workspaceId, 'files', path), signal, ANSWER_TIMEOUT_MS));
  }

  override async read(workspaceId: string, path: string, form: FileForm, signal: AbortSignal): Promise<Download> {
    const response = await this.fetch('GET', at(workspaceId, form, path), signal, MOVE_TIMEOUT_MS);
    const length = response.headers.get('content-length');
    if (response.body === null) throw new AishError('sandbox_interrupted', 'The sandbox sent no body');
    return { sizeBytes: length === null ? null : Number(length), body: response.body };
  }

  override async write(
    workspaceId: string,
    path: string,
    form: FileForm,
    body: AsyncIterable<Uint8Array>,
    signal: AbortSignal,
  ): Promise<void> {
    const headers = { 'content-type': FILE_MEDIA_TYPES[form] };
    await this.fetch('PUT', at(workspaceId, form, path), signal, MOVE_TIMEOUT_MS, { headers, body, duplex: 'half' });
  }

  override async preview(workspaceId: string, command: string, signal: AbortSignal): Promise<Preview> {
    const path = `/v1/workspaces/${workspaceId}/preview`;
    return Preview.parse(await this.json('POST', path, signal, COPY_TIMEOUT_MS, { command }));
  }

  override async snapshot(workspaceId: string, actionId: string, signal: AbortSignal): Promise<Snapshot> {
    const path = `/v1/workspaces/${workspaceId}/snapshots`;
    return Snapshot.parse(await this.json('POST', path, signal, COPY_TIMEOUT_MS, { actionId }));
  }

  override async snapshots(workspaceId: string, signal: AbortSignal): Promise<readonly Snapshot[]> {
    const path = `/v1/workspaces/${workspaceId}/snapshots`;
    return SnapshotList.parse(await this.json('GET', path, signal, ANSWER_TIMEOUT_MS)).items;
  }

  override async restore(workspaceId: string, actionId: string, signal: AbortSignal): Promise<Snapshot> {
    const path = `/v1/workspaces/${workspaceId}/snapshots/${actionId}/restore`;
    return Snapshot.parse(await this.json('POST', path, signal, COPY_TIMEOUT_MS));
  }

  override async remove(workspaceId: string, signal: AbortSignal): Promise<void> {
    await this.fetch('DELETE', `/v1/workspaces/${workspaceId}`, signal, ANSWER_TIMEOUT_MS);
  }

  private async json(
    method: string,
    path: string,
    signal: AbortSignal,
    timeoutMs: number,
    body?: unknown,
  ): Promise<unknown> {
    const init =
      body === undefined ? {} : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
    const response = await this.fetch(method, path, signal, timeoutMs, init);
    return response.json();
  }

  private async fetch(
    method: string,
    path: string,
    signal: AbortSignal,
    timeoutMs: number,
    init: {
      readonly headers?: Readonly<Record<string, string>>;
      readonly body?: string | AsyncIterable<Uint8Array>;
      readonly duplex?: 'half';
    } = {},
  ): Promise<Response> {
    try {
      const response = await fetch(this.baseUrl + path, {
        ...init,
        method,
        headers: { ...init.headers, authorization: `Bearer ${this.token}` },
        signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
      });
      if (response.ok) return response;
      throw await problemOf(response);
    } catch (error) {
      if (isAishError(error)) throw error;
      if (signal.aborted) throw new AishError('aborted', 'Cancelled', {}, { cause: error });
      const message = `The sandbox service at ${this.baseUrl} does not answer`;
      throw new AishError('sandbox_unreachable', message, {}, { cause: error });
    }
  }
}

function at(workspaceId: string, what: string, path: string): string {
  return `/v1/workspaces/${workspaceId}/${what}?path=${encodeURIComponent(path)}`;
}
