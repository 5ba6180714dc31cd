import { existsSync } from 'node:fs';
import { chmod, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { NetworkConnection, NetworkPolicy } from '@aish/contracts/network';
import type { RunSecret } from '@aish/contracts/secrets';
import type { Logger } from '@aish/http';
import type { OnApplicationShutdown } from '@nestjs/common';
import type { Authority } from '../secrets/authority.js';
import { writeDurably } from '../storage/durable-file.js';
import type { ConnectionLog } from './connection-log.js';
import { EgressProxy } from './egress.proxy.js';
import type { PolicyStore } from './policy.store.js';
import { systemResolver, type Resolve } from './resolver.js';
import type { SocketFolders } from './socket-folders.js';

const SOCKET_NAME = 'proxy.sock';
/**
 * The name of the file next to the socket. The file holds the certificate authorities that containers trust in addition
 * to those of their image.
 */
const AUTHORITY_NAME = 'authority.pem';
const RECENT_MAX = 200;
const IDLE_MS = 60_000;

/** The mount that gives a container network access: the folder with the socket of its workspace's proxy. */
export interface NetworkMount {
  /** The path of the folder on the engine's machine. */
  readonly hostDir: string;
}

/** A run, as seen by its proxy. */
export interface Outgoing {
  readonly log: ConnectionLog;
  /** The secrets that the run may use without seeing them. */
  readonly secrets: readonly RunSecret[];
}

/** The state of a workspace with commands that are running or have just ended. */
interface Room {
  readonly runs: Set<Outgoing>;
  readonly recent: (NetworkConnection & { readonly at: string })[];
  proxy: Promise<EgressProxy> | null;
  idleSince: number;
}

/**
 * Controls the network access of workspaces. A container has no network at all. If the policy allows something, the
 * container mounts a folder with the Unix socket of its workspace's proxy. The socket identifies the workspace of a
 * connection.
 */
export class NetworkGate implements OnApplicationShutdown {
  private readonly rooms = new Map<string, Room>();
  /** Policies of containers without a workspace. They end with this service. */
  private readonly passing = new Map<string, NetworkPolicy>();
  private writes: Promise<unknown> = Promise.resolve();
  private readonly resolve: Resolve = systemResolver();
  private readonly timer: NodeJS.Timeout;

  constructor(
    private readonly folders: SocketFolders,
    private readonly store: PolicyStore,
    private readonly authority: Authority,
    private readonly logger: Logger,
  ) {
    this.timer = setInterval(() => void this.closeIdle(), IDLE_MS);
    this.timer.unref();
  }

  policy(workspaceId: string): NetworkPolicy {
    return this.passing.get(workspaceId) ?? this.store.find(workspaceId);
  }

  /**
   * Sets the policy of a workspace. The policy takes effect at once, also for running commands, and their open
   * connections are closed. A container that was created under `none` stays without access.
   */
  setPolicy(workspaceId: string, policy: NetworkPolicy): Promise<NetworkPolicy> {
    return this.inTurn(() => this.write(workspaceId, policy));
  }

  /** Sets the policy unless the workspace already has one. */
  beginPolicy(workspaceId: string, policy: NetworkPolicy): Promise<NetworkPolicy> {
    return this.inTurn(async () =>
      this.store.has(workspaceId) ? this.policy(workspaceId) : this.write(workspaceId, policy),
    );
  }

  /** Runs changes of policies one after another, so that an initial policy never overwrites a later one. */
  private inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.writes.then(work);
    this.writes = turn.catch(() => undefined);
    return turn;
  }

  private async write(workspaceId: string, policy: NetworkPolicy): Promise<NetworkPolicy> {
    if (policy.mode === 'allow') this.folders.check(workspaceId, SOCKET_NAME);
    await this.store.write(workspaceId, policy);
    (await this.rooms.get(workspaceId)?.proxy)?.cut();
    this.logger.info({ workspaceId, mode: policy.mode }, 'network policy set');
    return this.policy(workspaceId);
  }

  /** Returns the most recent connections, oldest first. */
  connections(workspaceId: string): Room['recent'] {
    return this.rooms.get(workspaceId)?.recent ?? [];
  }

  /**
   * Returns the mount for a new container of this workspace, or null if the workspace has no access. The proxy listens
   * once this promise has resolved. It stops one minute after the last run has left.
   */
  async mountFor(workspaceId: string): Promise<NetworkMount | null> {
    if (this.policy(workspaceId).mode === 'none') return null;
    this.folders.check(workspaceId, SOCKET_NAME);
    await this.listen(workspaceId, this.room(workspaceId));
    return { hostDir: await this.folders.reachableMountOf(workspaceId) };
  }

  /**
   * Allows and logs the connections of a run until the returned function is called. A proxy that cannot listen is not
   * an error. The run then has no network access.
   */
  async join(workspaceId: string, run: Outgoing): Promise<() => void> {
    const room = this.room(workspaceId);
    room.runs.add(run);
    try {
      // A run from before the restart may have the folder mounted although the policy is now `none`. Its connections
      // get an error.
      if (existsSync(this.folders.pathOf(workspaceId))) await this.listen(workspaceId, room);
    } catch (error) {
      this.logger.warn({ err: error, workspaceId }, 'the proxy of a workspace cannot listen');
    }
    return () => {
      room.runs.delete(run);
      room.idleSince = Date.now();
    };
  }

  /**
   * Opens network access that ends with this service, for a container without a workspace.
   * @returns the mount for the container, or null if the policy allows nothing. Call `remove` when the container is
   * gone.
   */
  async open(id: string, policy: NetworkPolicy, run: Outgoing): Promise<NetworkMount | null> {
    this.passing.set(id, policy);
    const mount = await this.mountFor(id);
    if (mount !== null) await this.join(id, run);
    return mount;
  }

  /** Forgets a workspace with its policy and socket. Call this when no container uses the workspace any more. */
  async remove(workspaceId: string): Promise<void> {
    const room = this.rooms.get(workspaceId);
    this.rooms.delete(workspaceId);
    this.passing.delete(workspaceId);
    await (await room?.proxy)?.close();
    await this.store.forget(workspaceId);
    await rm(this.folders.pathOf(workspaceId), { recursive: true, force: true });
  }

  /** Stops all proxies. Their folders stay, because running containers mount them and the next start listens there. */
  async onApplicationShutdown(): Promise<void> {
    clearInterval(this.timer);
    await Promise.allSettled([...this.rooms.values()].map(async ({ proxy }) => (await proxy)?.close()));
  }

  private room(workspaceId: string): Room {
    const known = this.rooms.get(workspaceId);
    if (known !== undefined) return known;
    const room: Room = { runs: new Set(), recent: [], proxy: null, idleSince: Date.now() };
    this.rooms.set(workspaceId, room);
    return room;
  }

  private async listen(workspaceId: string, room: Room): Promise<void> {
    room.idleSince = Date.now();
    room.proxy ??= this.start(workspaceId, room);
    try {
      await room.proxy;
    } catch (error) {
      room.proxy = null;
      throw error;
    }
  }

  private async start(workspaceId: string, room: Room): Promise<EgressProxy> {
    await this.folders.make(workspaceId);
    const dir = this.folders.pathOf(workspaceId);
    // The folder is open for the commands' user. On this machine, its parent folder keeps everybody else out.
    await chmod(dir, 0o755);
    const proxy = new EgressProxy({
      policy: () => this.policy(workspaceId),
      admit: (connection) => this.admit(workspaceId, room, connection),
      resolve: this.resolve,
      // Two runs of a workspace share its socket and each other's secrets.
      secrets: () => [...room.runs].flatMap(({ secrets }) => secrets),
      authority: this.authority,
      failed: (error) => this.logger.warn({ err: error, workspaceId }, 'a connection of a command failed'),
    });
    const certificate = join(dir, AUTHORITY_NAME);
    await writeDurably(certificate, await this.authority.certificate());
    await chmod(certificate, 0o644);
    await proxy.listen(join(dir, SOCKET_NAME));
    return proxy;
  }

  private admit(workspaceId: string, room: Room, asked: NetworkConnection): NetworkConnection {
    // Two runs of a workspace share its socket. Connections are attributed to the newer run.
    const log = [...room.runs].at(-1)?.log;
    const connection = log?.admit(asked) ?? { ...asked, allowed: false, reason: 'no command runs' };
    room.recent.push({ ...connection, at: new Date().toISOString() });
    if (room.recent.length > RECENT_MAX) room.recent.shift();
    this.logger.debug({ workspaceId, ...connection }, 'connection');
    return connection;
  }

  private async closeIdle(): Promise<void> {
    for (const [workspaceId, room] of this.rooms) {
      if (room.runs.size > 0 || Date.now() - room.idleSince < IDLE_MS) continue;
      this.rooms.delete(workspaceId);
      try {
        await (await room.proxy)?.close();
      } catch (error) {
        this.logger.warn({ err: error, workspaceId }, 'an idle proxy could not be closed');
      }
    }
  }
}
