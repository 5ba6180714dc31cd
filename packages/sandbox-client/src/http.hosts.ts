import { HostTrial, ScannedHost, type HostAnswer, type HostSignIn } from '@aish/contracts/hosts';
import { Hosts } from './hosts.port.js';
import type { SandboxRouter } from './sandbox.router.js';
import { ask, problemOf, type ServiceAddress } from './service.request.js';

const ANSWER_TIMEOUT_MS = 10_000;
/** The time limit in milliseconds. Finding a host, and its answer, may take a while. */
const HOST_TIMEOUT_MS = 40_000;

/** Hosts over HTTP. Answers go to the service that has the run, other requests to the first service. */
export class HttpHosts extends Hosts {
  constructor(
    private readonly router: SandboxRouter,
    private readonly addressOf: (service: string) => ServiceAddress,
  ) {
    super();
  }

  override async answer(runId: string, id: string, answer: HostAnswer, signal: AbortSignal): Promise<void> {
    for (const { name } of await this.router.ofRun(runId)) {
      const path = `/v1/runs/${runId}/hosts/${id}`;
      const response = await this.post(name, path, answer, ANSWER_TIMEOUT_MS, signal);
      if (response.ok) return;
      if (response.status !== 404) throw await problemOf(response);
    }
  }

  override async scan(address: string, port: number, signal: AbortSignal): Promise<readonly string[]> {
    const response = await this.post(this.first, '/v1/hosts/scan', { address, port }, HOST_TIMEOUT_MS, signal);
    if (!response.ok) throw await problemOf(response);
    return ScannedHost.parse(await response.json()).keys;
  }

  override async try(signIn: HostSignIn, signal: AbortSignal): Promise<HostTrial> {
    const response = await this.post(this.first, '/v1/hosts/try', signIn, HOST_TIMEOUT_MS, signal);
    if (!response.ok) throw await problemOf(response);
    return HostTrial.parse(await response.json());
  }

  private get first(): string {
    return this.router.services[0].name;
  }

  private post(
    service: string,
    path: string,
    body: unknown,
    timeoutMs: number,
    signal: AbortSignal,
  ): Promise<Response> {
    const json = { mediaType: 'application/json', body: JSON.stringify(body) };
    return ask(this.addressOf(service), { method: 'POST', path, signal, timeoutMs, ...json });
  }
}
