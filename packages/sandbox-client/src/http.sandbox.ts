import type { RunOutcome } from '@aish/contracts/actions';
import { NetworkConnectionList, NetworkPolicy } from '@aish/contracts/network';
import { AishError, isAishError } from '@aish/contracts/problems';
import { RunFrame, RunStatus, SandboxStatus, type RunRequestInput, type SettleHeld } from '@aish/contracts/runs';
import { ExecutionContext, type BoundFile } from '@aish/contracts/execution-context';
import { EventSourceParserStream } from 'eventsource-parser/stream';
import { z } from 'zod';
import { Sandbox, type NextRun } from './sandbox.port.js';
import { ask, interrupted, errorOf, problemOf, type ServiceAddress, type ServiceRequest } from './service.request.js';

/** The time limit in milliseconds. Responses other than a run's stream arrive at once. */
const ANSWER_TIMEOUT_MS = 10_000;
/** The time limit in milliseconds for requests for which a container reads files. */
const CONTENT_TIMEOUT_MS = 40_000;
const Preparation = z.object({ ready: z.boolean() });

/**
 * The silence in milliseconds that means that the machine or the network is gone. The service sends a heartbeat every
 * 15 s.
 */
const SILENCE_MS = 45_000;

/** The sandbox service over HTTP. */
export class HttpSandbox extends Sandbox {
  private readonly service: ServiceAddress;

  constructor(
    baseUrl: string,
    token: string,
    private readonly silenceMs: number = SILENCE_MS,
  ) {
    super();
    this.service = { baseUrl, token };
  }

  override async *run(
    request: RunRequestInput,
    signal: AbortSignal,
  ): AsyncIterable<Exclude<RunFrame, { type: 'error' }>> {
    const body = JSON.stringify(request);
    const path = '/v1/runs';
    const response = await ask(this.service, { method: 'POST', path, signal, mediaType: 'application/json', body });
    if (!response.ok || response.body === null) throw await problemOf(response);
    const silence = new Silence(this.silenceMs);
    const parser = new EventSourceParserStream({ onComment: () => silence.broken() });
    const reader = response.body.pipeThrough(new TextDecoderStream()).pipeThrough(parser).getReader();
    // On Node 20, the stream of a fetch can lose its signal when the signal is garbage-collected.
    const leave = (): void => void reader.cancel().catch(() => undefined);
    signal.addEventListener('abort', leave, { once: true });
    try {
      for (;;) {
        const { done, value: event } = await silence.bound(reader.read());
        if (done) break;
        const frame = RunFrame.parse(JSON.parse(event.data));
        if (frame.type === 'error') {
          throw errorOf(frame.problem);
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

  override async executionContext(
    workspaceId: string,
    signal: AbortSignal,
    uses: readonly string[] = [],
    carryOver = true,
    hostFolders: readonly string[] = [],
    files: readonly BoundFile[] = [],
  ): Promise<ExecutionContext> {
    const bound = files.length === 0 ? '' : `&files=${encodeURIComponent(JSON.stringify(files))}`;
    const lists = [...query('uses', uses), ...query('hostFolders', hostFolders), bound].join('');
    const path = `/v1/workspaces/${workspaceId}/execution-context?carryOver=${carryOver}${lists}`;
    const timeoutMs = files.length === 0 ? ANSWER_TIMEOUT_MS : CONTENT_TIMEOUT_MS;
    const response = await ask(this.service, { method: 'GET', path, signal, timeoutMs });
    if (!response.ok) throw await problemOf(response);
    return ExecutionContext.parse(await response.json());
  }

  override async status(runId: string, signal: AbortSignal): Promise<RunStatus | null> {
    const response = await this.at('GET', `/v1/runs/${runId}`, signal);
    if (response.status === 404) return null;
    if (!response.ok) throw await problemOf(response);
    return RunStatus.parse(await response.json());
  }

  override async cancel(runId: string, signal: AbortSignal): Promise<RunOutcome | null> {
    const response = await this.at('DELETE', `/v1/runs/${runId}`, signal);
    if (response.status === 404) return null;
    if (!response.ok) throw await problemOf(response);
    return RunStatus.parse(await response.json()).outcome;
  }

  override async settle(
    workspaceId: string,
    runId: string,
    verdict: SettleHeld['verdict'],
    signal: AbortSignal,
  ): Promise<void> {
    const response = await this.at('PUT', `/v1/workspaces/${workspaceId}/held/${runId}`, signal, { verdict });
    if (!response.ok) throw await problemOf(response);
  }

  override async prepare(
    { workspaceId, hostFolders, hosts, background, image }: NextRun,
    signal: AbortSignal,
  ): Promise<boolean> {
    const query = new URLSearchParams({ background: String(background) });
    if (hostFolders.length > 0) query.set('hostFolders', hostFolders.join(','));
    if (hosts === true) query.set('hosts', 'true');
    if (image !== undefined) query.set('image', JSON.stringify(image));
    const response = await this.at('POST', `/v1/workspaces/${workspaceId}/prepare?${query.toString()}`, signal);
    if (!response.ok) throw await problemOf(response);
    return Preparation.parse(await response.json()).ready;
  }

  override async networkPolicy(workspaceId: string, signal: AbortSignal): Promise<NetworkPolicy> {
    const response = await this.at('GET', `/v1/workspaces/${workspaceId}/network`, signal);
    if (!response.ok) throw await problemOf(response);
    return NetworkPolicy.parse(await response.json());
  }

  override async setNetworkPolicy(
    workspaceId: string,
    policy: NetworkPolicy,
    signal: AbortSignal,
  ): Promise<NetworkPolicy> {
    const response = await this.at('PUT', `/v1/workspaces/${workspaceId}/network`, signal, policy);
    if (!response.ok) throw await problemOf(response);
    return NetworkPolicy.parse(await response.json());
  }

  override async beginNetworkPolicy(workspaceId: string, policy: NetworkPolicy, signal: AbortSignal): Promise<void> {
    const response = await this.at('POST', `/v1/workspaces/${workspaceId}/network`, signal, policy);
    if (!response.ok) throw await problemOf(response);
    await response.body?.cancel();
  }

  override async networkConnections(workspaceId: string, signal: AbortSignal): Promise<NetworkConnectionList> {
    const response = await this.at('GET', `/v1/workspaces/${workspaceId}/network/connections`, signal);
    if (!response.ok) throw await problemOf(response);
    return NetworkConnectionList.parse(await response.json());
  }

  override async describe(signal: AbortSignal): Promise<SandboxStatus> {
    const response = await this.at('GET', '/v1/status', signal);
    if (!response.ok) throw await problemOf(response);
    return SandboxStatus.parse(await response.json());
  }

  /** Builds a request for a response that is not a stream. */
  private at(method: ServiceRequest['method'], path: string, signal: AbortSignal, body?: unknown): Promise<Response> {
    const json = body === undefined ? {} : { mediaType: 'application/json', body: JSON.stringify(body) };
    return ask(this.service, { method, path, signal, timeoutMs: ANSWER_TIMEOUT_MS, ...json });
  }
}

function query(name: string, values: readonly string[]): readonly string[] {
  return values.length === 0 ? [] : [`&${name}=${values.join(',')}`];
}

/** Limits the silence while a caller waits for the next event. */
class Silence {
  private timer: NodeJS.Timeout | null = null;

  constructor(private readonly ms: number) {}

  /** Called when a heartbeat arrives. */
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
