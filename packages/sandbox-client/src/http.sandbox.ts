import {
  AishError,
  NetworkConnectionList,
  NetworkPolicy,
  PROBLEMS,
  Problem,
  RunFrame,
  RunStatus,
  SandboxStatus,
  isAishError,
  type ProblemCode,
  type RunOutcome,
  type RunRequestInput,
} from '@aish/contracts';
import { EventSourceParserStream } from 'eventsource-parser/stream';
import { z } from 'zod';
import { Sandbox, type NextRun } from './sandbox.port.js';

/** Answers of the sandbox other than a run's stream come at once. */
const ANSWER_TIMEOUT_MS = 10_000;
const Preparation = z.object({ ready: z.boolean() });

/** The service sends a heartbeat every 15 s: silence means that its machine, or the way to it, is gone. */
const SILENCE_MS = 45_000;

/** The sandbox service over HTTP. */
export class HttpSandbox extends Sandbox {
  constructor(
    private readonly baseUrl: string,
    private readonly token: string,
    private readonly silenceMs: number = SILENCE_MS,
  ) {
    super();
  }

  override async *run(
    request: RunRequestInput,
    signal: AbortSignal,
  ): AsyncIterable<Exclude<RunFrame, { type: 'error' }>> {
    const response = await this.fetch('POST', '/v1/runs', signal, request);
    if (!response.ok || response.body === null) throw await problemOf(response);
    const silence = new Silence(this.silenceMs);
    const parser = new EventSourceParserStream({ onComment: () => silence.broken() });
    const reader = response.body.pipeThrough(new TextDecoderStream()).pipeThrough(parser).getReader();
    // On Node 20 a fetch's stream can forget the signal it was given once that was collected as garbage.
    const leave = (): void => void reader.cancel().catch(() => undefined);
    signal.addEventListener('abort', leave, { once: true });
    try {
      for (;;) {
        const { done, value: event } = await silence.bound(reader.read());
        if (done) break;
        const frame = RunFrame.parse(JSON.parse(event.data));
        if (frame.type === 'error') {
          throw new AishError(codeOf(frame.problem.code), frame.problem.detail ?? frame.problem.code);
        }
        yield frame;
        if (frame.type === 'exit') return;
      }
    } catch (error) {
      if (isAishError(error)) throw error;
      throw signal.aborted
        ? new AishError('aborted', 'Stopped watching the run', {}, { cause: error })
        : interrupted(error);
    } finally {
      signal.removeEventListener('abort', leave);
      leave();
    }
    if (signal.aborted) throw new AishError('aborted', 'Stopped watching the run');
    throw interrupted(undefined);
  }

  override async status(runId: string, signal: AbortSignal): Promise<RunStatus | null> {
    const response = await this.fetch('GET', `/v1/runs/${runId}`, bounded(signal));
    if (response.status === 404) return null;
    if (!response.ok) throw await problemOf(response);
    return RunStatus.parse(await response.json());
  }

  override async cancel(runId: string, signal: AbortSignal): Promise<RunOutcome | null> {
    const response = await this.fetch('DELETE', `/v1/runs/${runId}`, bounded(signal));
    if (response.status === 404) return null;
    if (!response.ok) throw await problemOf(response);
    return RunStatus.parse(await response.json()).outcome;
  }

  override async prepare({ workspaceId, hostFolders }: NextRun, signal: AbortSignal): Promise<boolean> {
    const query = hostFolders.length === 0 ? '' : `?hostFolders=${hostFolders.join(',')}`;
    const response = await this.fetch('POST', `/v1/workspaces/${workspaceId}/prepare${query}`, bounded(signal));
    if (!response.ok) throw await problemOf(response);
    return Preparation.parse(await response.json()).ready;
  }

  override async networkPolicy(workspaceId: string, signal: AbortSignal): Promise<NetworkPolicy> {
    const response = await this.fetch('GET', `/v1/workspaces/${workspaceId}/network`, bounded(signal));
    if (!response.ok) throw await problemOf(response);
    return NetworkPolicy.parse(await response.json());
  }

  override async setNetworkPolicy(
    workspaceId: string,
    policy: NetworkPolicy,
    signal: AbortSignal,
  ): Promise<NetworkPolicy> {
    const response = await this.fetch('PUT', `/v1/workspaces/${workspaceId}/network`, bounded(signal), policy);
    if (!response.ok) throw await problemOf(response);
    return NetworkPolicy.parse(await response.json());
  }

  override async networkConnections(workspaceId: string, signal: AbortSignal): Promise<NetworkConnectionList> {
    const response = await this.fetch('GET', `/v1/workspaces/${workspaceId}/network/connections`, bounded(signal));
    if (!response.ok) throw await problemOf(response);
    return NetworkConnectionList.parse(await response.json());
  }

  override async describe(signal: AbortSignal): Promise<SandboxStatus> {
    const response = await this.fetch('GET', '/v1/status', bounded(signal));
    if (!response.ok) throw await problemOf(response);
    return SandboxStatus.parse(await response.json());
  }

  private async fetch(method: string, path: string, signal: AbortSignal, body?: unknown): Promise<Response> {
    try {
      return await fetch(this.baseUrl + path, {
        method,
        signal,
        headers: {
          authorization: `Bearer ${this.token}`,
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
    } catch (error) {
      if (signal.aborted && !isTimeout(signal.reason))
        throw new AishError('aborted', 'Cancelled', {}, { cause: error });
      // Only a connection that was never made is proof that nothing began.
      if (method === 'POST' && !neverConnected(error)) throw interrupted(error);
      throw new AishError(
        'sandbox_unreachable',
        `The sandbox service at ${this.baseUrl} does not answer`,
        {},
        { cause: error },
      );
    }
  }
}

/** Bounds how long nothing at all is heard while somebody waits for the next event. */
class Silence {
  private timer: NodeJS.Timeout | null = null;

  constructor(private readonly ms: number) {}

  /** A heartbeat came. */
  broken(): void {
    this.timer?.refresh();
  }

  async bound<T>(next: Promise<T>): Promise<T> {
    const silent = new Promise<never>((_, reject) => {
      this.timer = setTimeout(() => reject(new Error(`Nothing was heard for ${this.ms} ms`)), this.ms);
    });
    try {
      return await Promise.race([next, silent]);
    } finally {
      if (this.timer !== null) clearTimeout(this.timer);
      this.timer = null;
    }
  }
}

function bounded(signal: AbortSignal): AbortSignal {
  return AbortSignal.any([signal, AbortSignal.timeout(ANSWER_TIMEOUT_MS)]);
}

function isTimeout(reason: unknown): boolean {
  return reason instanceof DOMException && reason.name === 'TimeoutError';
}

const NEVER_CONNECTED = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
]);

function neverConnected(error: unknown): boolean {
  const cause = typeof error === 'object' && error !== null && 'cause' in error ? error.cause : undefined;
  if (typeof cause !== 'object' || cause === null) return false;
  // A name with several addresses fails with one error for each.
  if ('errors' in cause && Array.isArray(cause.errors))
    return cause.errors.every((inner) => NEVER_CONNECTED.has(codeIn(inner)));
  return NEVER_CONNECTED.has(codeIn(cause));
}

function codeIn(error: unknown): string {
  return typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : '';
}

function interrupted(cause: unknown): AishError {
  return new AishError('sandbox_interrupted', 'The connection to the sandbox broke during a run', {}, { cause });
}

export async function problemOf(response: Response): Promise<AishError> {
  const parsed = Problem.safeParse(await response.json().catch((error: unknown) => ({ unreadable: String(error) })));
  if (!parsed.success)
    return new AishError('sandbox_interrupted', `The sandbox answered ${response.status} without a problem document`);
  return new AishError(codeOf(parsed.data.code), parsed.data.detail ?? parsed.data.title);
}

/** A code that this version does not know is treated as the careful case: something may have begun. */
function codeOf(code: string): ProblemCode {
  return Object.hasOwn(PROBLEMS, code) ? (code as ProblemCode) : 'sandbox_interrupted';
}
