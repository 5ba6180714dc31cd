import type { RunOutcome } from '@aish/contracts/actions';
import { allowDestinations, type NetworkConnectionList, type NetworkPolicy } from '@aish/contracts/network';
import { AishError, isAishError } from '@aish/contracts/problems';
import type { RunFrame, RunRequestInput, RunStatus, SandboxStatus, SettleHeld } from '@aish/contracts/runs';
import type { BoundFile, ExecutionContext } from '@aish/contracts/execution-context';
import { Sandbox, type NextRun } from './sandbox.port.js';
import type { SandboxRouter, SandboxService } from './sandbox.router.js';

/** Combines several sandbox services into one. Each workspace stays with its service. */
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

  override async executionContext(
    workspaceId: string,
    signal: AbortSignal,
    uses?: readonly string[],
    carryOver?: boolean,
    hostFolders?: readonly string[],
    files?: readonly BoundFile[],
  ): Promise<ExecutionContext> {
    const { service, carryOver: asPlaced } = await this.router.holding(workspaceId);
    return service.sandbox.executionContext(workspaceId, signal, uses, carryOver ?? asPlaced, hostFolders, files);
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
    return allowDestinations(begun, networkMore).policy;
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

  /** Returns one status for all services: ready if one is ready, with the problems of the others. */
  override async describe(signal: AbortSignal): Promise<SandboxStatus> {
    if (this.router.services.length === 1) return this.router.services[0].sandbox.describe(signal);
    const all = await this.router.statuses(signal);
    const statuses = all.flatMap(({ status }) => (status instanceof AishError ? [] : [status]));
    const first = statuses.find(({ ready }) => ready) ?? statuses[0];
    if (first === undefined) throw all[0]?.status instanceof AishError ? all[0].status : unreachable();
    const complaints = all.flatMap(({ service, status }) => {
      const detail = status instanceof AishError ? status.message : status.detail;
      return detail === null ? [] : [`${service.name}: ${detail}`];
    });
    const folders = new Map(statuses.flatMap(({ hostFolders }) => hostFolders).map((folder) => [folder.name, folder]));
    const sum = (of: (status: SandboxStatus) => number) => statuses.reduce((total, status) => total + of(status), 0);
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
      whyNoLayers: statuses.find(({ whyNoLayers }) => whyNoLayers !== null)?.whyNoLayers ?? null,
    };
  }

  /** @throws AishError if no service knows the run and at least one did not respond. */
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
