import { AishError, isAishError } from '@aish/contracts/problems';
import type { SandboxStatus } from '@aish/contracts/runs';
import type { RunImage } from '@aish/contracts/images';
import { networkFull, openWays, type NetworkPolicy, type NetworkWay } from '@aish/contracts/network';
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

/** Where a workspace is, and whether its commands begin where the last one ended. */
export interface Held {
  readonly service: SandboxService;
  readonly carryOver: boolean;
  /** What the workspace's network policy begins with; null: the service knows it. */
  readonly network: NetworkPolicy | null;
  /** Ways out that the service does not know of yet; of a workspace that was placed, those that do not fit. */
  readonly networkMore: readonly NetworkWay[];
  /** What its commands run in; null: the service's own image. */
  readonly image: RunImage | null;
}

const UNPLACED: Place = { sandbox: null, carryOver: true, network: null, networkMore: [], image: null };

/** Finds the service that holds a workspace. The first one is the default. */
export class SandboxRouter {
  constructor(
    readonly services: readonly [SandboxService, ...SandboxService[]],
    private readonly places: Places,
  ) {}

  /** Where to look for what a workspace holds. One that is nowhere yet is empty, at the default too. */
  async holding(workspaceId: string): Promise<Held> {
    const { sandbox, ...place } = (await this.places.find(workspaceId)) ?? UNPLACED;
    return { ...place, service: this.named(sandbox ?? DEFAULT_SANDBOX) };
  }

  /**
   * Where to put something into a workspace: it stays there from now on. A new one goes to the service that is ready and
   * has the least to do.
   * @throws AishError `sandbox_unreachable` when the service that holds it is not known here.
   */
  async placed(workspaceId: string, signal: AbortSignal): Promise<Held> {
    const session = await this.places.find(workspaceId);
    // No session's: nobody remembers where it is.
    if (session === null) return { ...UNPLACED, service: this.services[0] };
    const { sandbox, carryOver, network, networkMore, image } = session;
    const name = sandbox ?? (await this.places.place(workspaceId, (await this.choose(signal)).name));
    const service = this.named(name);
    if (network !== null) {
      // The sandbox keeps later changes of an admin: this sets only the policy that the workspace starts with.
      await service.sandbox.beginNetworkPolicy(workspaceId, network, signal);
      await this.places.networkBegun(workspaceId);
    }
    const left = networkMore.length === 0 ? [] : await this.widen(service, workspaceId, networkMore, signal);
    // What does not fit stays until a command is refused for it: then somebody is told.
    if (networkMore.length > 0 && left.length === 0) await this.places.networkWidened(workspaceId, networkMore);
    return { service, carryOver, network: null, networkMore: left, image };
  }

  /**
   * The same for a command. What it was given and cannot reach is told once, in its place.
   * @throws AishError `network_full`, and as `placed`.
   */
  async placedToRun(workspaceId: string, signal: AbortSignal): Promise<Held> {
    const held = await this.placed(workspaceId, signal);
    const [first] = held.networkMore;
    if (first === undefined) return held;
    const given = (await this.places.find(workspaceId))?.networkMore ?? [];
    await this.places.networkWidened(workspaceId, given);
    throw networkFull(first);
  }

  /** @returns the ways that do not fit. */
  private async widen(
    { sandbox }: SandboxService,
    workspaceId: string,
    ways: readonly NetworkWay[],
    signal: AbortSignal,
  ): Promise<readonly NetworkWay[]> {
    const { policy, left } = openWays(await sandbox.networkPolicy(workspaceId, signal), ways);
    await sandbox.setNetworkPolicy(workspaceId, policy, signal);
    return left;
  }

  /** Whom to ask about a run, in this order: where its workspace is, or everybody when nobody knows that. */
  async ofRun(runId: string): Promise<readonly SandboxService[]> {
    if (this.services.length === 1) return this.services;
    const name = await this.places.ofRun(runId);
    return name === null ? this.services : [this.named(name)];
  }

  /** What each service says of itself, or why it says nothing. */
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
    // What waits for a command belongs to a workspace that was used a moment ago.
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
