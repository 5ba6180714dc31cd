import { AishError, isAishError } from '@aish/contracts/problems';
import type { SandboxStatus } from '@aish/contracts/runs';
import type { RunImage } from '@aish/contracts/images';
import { networkFull, allowDestinations, type NetworkPolicy, type NetworkDestination } from '@aish/contracts/network';
import { DEFAULT_SANDBOX } from '@aish/contracts/sandboxes';
import type { Place, Places } from './places.port.js';
import type { Sandbox } from './sandbox.port.js';
import type { Workspaces } from './workspaces.port.js';

const DESCRIBE_TIMEOUT_MS = 3_000;

/** One sandbox service. */
export interface SandboxService {
  readonly name: string;
  readonly sandbox: Sandbox;
  readonly workspaces: Workspaces;
}

/** The service of a workspace, and whether commands start where the last one ended. */
export interface Held {
  readonly service: SandboxService;
  readonly carryOver: boolean;
  /** The initial network policy; null if the service has it. */
  readonly network: NetworkPolicy | null;
  /**
   * Additions that the service does not have yet. For an assigned workspace, these are the additions that do not fit.
   */
  readonly networkMore: readonly NetworkDestination[];
  /** The image for the workspace's commands; null for the service's own image. */
  readonly image: RunImage | null;
}

const UNPLACED: Place = { sandbox: null, carryOver: true, network: null, networkMore: [], image: null };

/** Finds the service that has a workspace. The first one is the default. */
export class SandboxRouter {
  constructor(
    readonly services: readonly [SandboxService, ...SandboxService[]],
    private readonly places: Places,
  ) {}

  /**
   * Returns the service to read a workspace from. A workspace without a service is empty, so the default service can
   * answer.
   */
  async holding(workspaceId: string): Promise<Held> {
    const { sandbox, ...place } = (await this.places.find(workspaceId)) ?? UNPLACED;
    return { ...place, service: this.named(sandbox ?? DEFAULT_SANDBOX) };
  }

  /**
   * Returns the service to write to. The workspace then stays there. A new one goes to the ready service with the
   * lowest load.
   *
   * @throws AishError `sandbox_unreachable` if the workspace's service is not configured here.
   */
  async placed(workspaceId: string, signal: AbortSignal): Promise<Held> {
    const session = await this.places.find(workspaceId);
    // The workspace belongs to no session, so its place is not stored.
    if (session === null) return { ...UNPLACED, service: this.services[0] };
    const { sandbox, carryOver, network, networkMore, image } = session;
    const name = sandbox ?? (await this.places.place(workspaceId, (await this.choose(signal)).name));
    const service = this.named(name);
    if (network !== null) {
      // This sets only the policy that the workspace starts with. The sandbox keeps later changes of an admin.
      await service.sandbox.beginNetworkPolicy(workspaceId, network, signal);
      await this.places.networkBegun(workspaceId);
    }
    const left = networkMore.length === 0 ? [] : await this.widen(service, workspaceId, networkMore, signal);
    // Additions that do not fit stay stored until a command is refused because of them and somebody is told.
    if (networkMore.length > 0 && left.length === 0) await this.places.networkWidened(workspaceId, networkMore);
    return { service, carryOver, network: null, networkMore: left, image };
  }

  /**
   * Returns the service like `placed`, for a command. Additions that do not fit are reported once, instead of running
   * the command.
   *
   * @throws AishError `network_full`, and the errors of `placed`.
   */
  async placedToRun(workspaceId: string, signal: AbortSignal): Promise<Held> {
    const held = await this.placed(workspaceId, signal);
    const [first] = held.networkMore;
    if (first === undefined) return held;
    const given = (await this.places.find(workspaceId))?.networkMore ?? [];
    await this.places.networkWidened(workspaceId, given);
    throw networkFull(first);
  }

  /** @returns the additions that do not fit. */
  private async widen(
    { sandbox }: SandboxService,
    workspaceId: string,
    ways: readonly NetworkDestination[],
    signal: AbortSignal,
  ): Promise<readonly NetworkDestination[]> {
    const { policy, left } = allowDestinations(await sandbox.networkPolicy(workspaceId, signal), ways);
    await sandbox.setNetworkPolicy(workspaceId, policy, signal);
    return left;
  }

  /** Returns the services to ask about a run: the one with its workspace, or all if that is unknown. */
  async ofRun(runId: string): Promise<readonly SandboxService[]> {
    if (this.services.length === 1) return this.services;
    const name = await this.places.ofRun(runId);
    return name === null ? this.services : [this.named(name)];
  }

  /** Returns the status of each service, or its error. */
  statuses(
    signal: AbortSignal,
  ): Promise<readonly { readonly service: SandboxService; readonly status: SandboxStatus | AishError }[]> {
    const bounded = AbortSignal.any([signal, AbortSignal.timeout(DESCRIBE_TIMEOUT_MS)]);
    return Promise.all(
      this.services.map(async (service) => {
        try {
          return { service, status: await service.sandbox.describe(bounded) };
        } catch (error) {
          if (!isAishError(error)) throw error;
          return { service, status: error };
        }
      }),
    );
  }

  private async choose(signal: AbortSignal): Promise<SandboxService> {
    if (this.services.length === 1) return this.services[0];
    const ready = (await this.statuses(signal)).flatMap(({ service, status }) =>
      status instanceof AishError || !status.ready ? [] : [{ service, status }],
    );
    // A prepared container belongs to a recently used workspace.
    const load = ({ status }: (typeof ready)[number]) => status.running + status.warm;
    const least = ready.toSorted(
      (a, b) => load(a) - load(b) || a.status.workspaces.sizeBytes - b.status.workspaces.sizeBytes,
    )[0];
    if (least !== undefined) return least.service;
    const names = this.services.map(({ name }) => name).join(', ');
    throw new AishError('sandbox_unreachable', `None of the sandbox services is ready: ${names}`);
  }

  private named(name: string): SandboxService {
    const service = this.services.find((each) => each.name === name);
    if (service !== undefined) return service;
    const message = `The sandbox service ${name}, which holds the workspace of this session, is not among SANDBOXES`;
    throw new AishError('sandbox_unreachable', message);
  }
}
