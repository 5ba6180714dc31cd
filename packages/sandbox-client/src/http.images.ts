import { ImageBuild, type BuildImage } from '@aish/contracts/images';
import { Images } from './images.port.js';
import { ask, problemOf, type ServiceAddress, type ServiceRequest } from './service.request.js';

const ANSWER_TIMEOUT_MS = 20_000;

export class HttpImages extends Images {
  constructor(private readonly services: readonly ServiceAddress[]) {
    super();
  }

  override async begin(build: string, what: BuildImage, signal: AbortSignal): Promise<void> {
    const json = { mediaType: 'application/json', body: JSON.stringify(what) };
    for (const service of this.services) {
      const response = await this.ask(service, { method: 'PUT', path: `/v1/images/builds/${build}`, signal, ...json });
      if (!response.ok) throw await problemOf(response);
    }
  }

  override async state(build: string, signal: AbortSignal): Promise<ImageBuild> {
    const all = await Promise.all(this.services.map((service) => this.at(service, build, signal)));
    const worst =
      all.find(({ state }) => state === 'failed') ?? all.find(({ state }) => state === 'building') ?? all[0];
    return worst ?? { state: 'failed', detail: 'There is no sandbox service', digest: null, sizeBytes: null };
  }

  override async remove(name: string, signal: AbortSignal): Promise<void> {
    for (const service of this.services) {
      const response = await this.ask(service, { method: 'DELETE', path: `/v1/images/named/${name}`, signal });
      if (!response.ok) throw await problemOf(response);
    }
  }

  private async at(service: ServiceAddress, build: string, signal: AbortSignal): Promise<ImageBuild> {
    const response = await this.ask(service, { method: 'GET', path: `/v1/images/builds/${build}`, signal });
    if (response.ok) return ImageBuild.parse(await response.json());
    const problem = await problemOf(response);
    if (response.status !== 404) throw problem;
    return { state: 'failed', detail: problem.message, digest: null, sizeBytes: null };
  }

  private ask(service: ServiceAddress, request: ServiceRequest): Promise<Response> {
    return ask(service, { ...request, timeoutMs: ANSWER_TIMEOUT_MS });
  }
}
