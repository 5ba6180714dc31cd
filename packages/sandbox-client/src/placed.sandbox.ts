import type { RunOutcome } from '@aish/contracts/actions';
import { openWays, type NetworkConnectionList, type NetworkPolicy } from '@aish/contracts/network';
import { AishError, isAishError } from '@aish/contracts/problems';
import type { RunFrame, RunRequestInput, RunStatus, SandboxStatus, SettleHeld } from '@aish/contracts/runs';
import type { BoundFile, CommandSurroundings } from '@aish/contracts/surroundings';
import { Sandbox, type NextRun } from './sandbox.port.js';
import type { SandboxRouter, SandboxService } from './sandbox.router.js';

/** Several sandbox services as one: each workspace stays with the one that made it. */
export class PlacedSandbox extends Sandbox {
  constructor(private readonly router: SandboxRouter) {
    super();
  }

  override async *run(
    request: RunRequestInput,
    signal: AbortSignal,
  ): AsyncIterable<Exclude<RunFrame, { type: 'error' }>> {
    const { service, carryOver, image } = await this.router.placedToRun(request.workspaceId, signal);
    yield* service.sandbox.run({ carryOver, ...(image === null ? {} : { image }), ...request }, signal);
  }

  override async surroundings(
    workspaceId: string,
    signal: AbortSignal,
    uses?: readonly string[],
    carryOver?: boolean,
    hostFolders?: readonly string[],
    files?: readonly BoundFile[],
  ): Promise<CommandSurroundings> {
    const { service, carryOver: asPlaced } = await this.router.holding(workspaceId);
    return service.sandbox.surroundings(workspaceId, signal, uses, carryOver ?? asPlaced, hostFolders, files);
  }

  override async settle(
    workspaceId: string,
    runId: string,
    verdict: SettleHeld['verdict'],
    signal: AbortSignal,
  ): Promise<void> {
    await (await this.router.holding(workspaceId)).service.sandbox.settle(workspaceId, runId, verdict, signal);
  }

  override async prepare(next: NextRun, signal: AbortSignal): Promise<boolean> {
    const { service, image } = await this.router.placed(next.workspaceId, signal);
    return service.sandbox.prepare({ ...(image === null ? {} : { image }), ...next }, signal);
  }

  override async status(runId: string, signal: AbortSignal): Promise<RunStatus | null> {
    return this.firstToKnow(runId, ({ sandbox }) => sandbox.status(runId, signal));
  }

  override async cancel(runId: string, signal: AbortSignal): Promise<RunOutcome | null> {
    return this.firstToKnow(runId, ({ sandbox }) => sandbox.cancel(runId, signal));
  }

  override async networkPolicy(workspaceId: string, signal: AbortSignal): Promise<NetworkPolicy> {
    const { service, network, networkMore } = await this.router.holding(workspaceId);
    const begun = network ?? (await service.sandbox.networkPolicy(workspaceId, signal));
    return openWays(begun, networkMore).policy;
  }

  override async setNetworkPolicy(
    workspaceId: string,
    policy: NetworkPolicy,
    signal: AbortSignal,
  ): Promise<NetworkPolicy> {
    const { service } = await this.router.placed(workspaceId, signal);
    return service.sandbox.setNetworkPolicy(workspaceId, policy, signal);
  }

  override async beginNetworkPolicy(workspaceId: string, policy: NetworkPolicy, signal: AbortSignal): Promise<void> {
    const { service } = await this.router.placed(workspaceId, signal);
    await service.sandbox.beginNetworkPolicy(workspaceId, policy, signal);
  }

  override async networkConnections(workspaceId: string, signal: AbortSignal): Promise<NetworkConnectionList> {
    return (await this.router.holding(workspaceId)).service.sandbox.networkConnections(workspaceId, signal);
  }

  /** One answer for all: ready when one is, and what the others lack. */
  override async describe(signal: AbortSignal): Promise<SandboxStatus> {
    if (this.router.services.length === 1) return this.router.services[0].sandbox.describe(signal);
    const all = await this.router.statuses(signal);
    const said = all.flatMap(({ status }) => (status instanceof AishError ? [] : [status]));
    const first = said.find(({ ready }) => ready) ?? said[0];
    if (first === undefined) throw all[0]?.status instanceof AishError ? all[0].status : unreachable();
    const complaints = all.flatMap(({ service, status }) => {
      const detail = status instanceof AishError ? status.message : status.detail;
      return detail === null ? [] : [`${service.name}: ${detail}`];
    });
    const folders = new Map(said.flatMap(({ hostFolders }) => hostFolders).map((folder) => [folder.name, folder]));
    const sum = (of: (status: SandboxStatus) => number) => said.reduce((total, status) => total + of(status), 0);
    return {
      ...first,
      detail: complaints.length === 0 ? null : complaints.join('; '),
      running: sum(({ running }) => running),
      warm: sum(({ warm }) => warm),
      workspaces: {
        count: sum(({ workspaces }) => workspaces.count),
        sizeBytes: sum(({ workspaces }) => workspaces.sizeBytes),
      },
      hostFolders: [...folders.values()],
      whyNoLayers: said.find(({ whyNoLayers }) => whyNoLayers !== null)?.whyNoLayers ?? null,
    };
  }

  /** @throws AishError when nobody knows the run and one of those that may did not answer. */
  private async firstToKnow<T>(runId: string, ask: (service: SandboxService) => Promise<T | null>): Promise<T | null> {
    let silent: AishError | null = null;
    for (const service of await this.router.ofRun(runId)) {
      try {
        const answer = await ask(service);
        if (answer !== null) return answer;
      } catch (error) {
        if (!isAishError(error) || error.code === 'aborted') throw error;
        silent = error;
      }
    }
    if (silent !== null) throw silent;
    return null;
  }
}

function unreachable(): AishError {
  return new AishError('sandbox_unreachable', 'No sandbox service answers');
}
