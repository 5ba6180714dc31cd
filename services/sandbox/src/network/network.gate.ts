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
/** Beside the socket: whom its containers trust besides the authorities of their image. */
const AUTHORITY_NAME = 'authority.pem';
const RECENT_MAX = 200;
const IDLE_MS = 60_000;

/** What a container needs to reach out: the folder that holds the socket of its workspace's proxy. */
export interface NetworkMount {
  /** As the engine sees it. */
  readonly hostDir: string;
}

/** A run as its way out sees it. */
export interface Outgoing {
  readonly log: ConnectionLog;
  /** What it may use without having it. */
  readonly secrets: readonly RunSecret[];
}

/** What this service holds of a workspace whose commands run, or ran a moment ago. */
interface Room {
  readonly runs: Set<Outgoing>;
  readonly recent: (NetworkConnection & { readonly at: string })[];
  proxy: Promise<EgressProxy> | null;
  idleSince: number;
}

/**
 * The way out of the workspaces. A container has no network at all; where the policy allows something, a folder with
 * the Unix socket of its own workspace's proxy is mounted. Which socket a connection came by says whose it is.
 */
export class NetworkGate implements OnApplicationShutdown {
  private readonly rooms = new Map<string, Room>();
  /** Of what ends with this service, and with its policy. */
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
   * Holds from now on, for connections of commands that run as well: those that are open are cut. A container that was
   * made under `none` stays without a way out.
   */
  setPolicy(workspaceId: string, policy: NetworkPolicy): Promise<NetworkPolicy> {
    return this.inTurn(() => this.write(workspaceId, policy));
  }

  /** The same for a workspace of which nobody has said anything. */
  beginPolicy(workspaceId: string, policy: NetworkPolicy): Promise<NetworkPolicy> {
    return this.inTurn(async () =>
      this.store.has(workspaceId) ? this.policy(workspaceId) : this.write(workspaceId, policy),
    );
  }

  /** Runs these one after the other, so that the first policy of a workspace never overwrites a later one. */
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

  /** The newest connections, oldest first. */
  connections(workspaceId: string): Room['recent'] {
    return this.rooms.get(workspaceId)?.recent ?? [];
  }

  /**
   * What a container of this workspace made now has to be given; null: nothing, it stays sealed. The proxy listens once
   * this resolves, for as long as somebody has joined, and a minute more.
   */
  async mountFor(workspaceId: string): Promise<NetworkMount | null> {
    if (this.policy(workspaceId).mode === 'none') return null;
    this.folders.check(workspaceId, SOCKET_NAME);
    await this.listen(workspaceId, this.room(workspaceId));
    return { hostDir: await this.folders.mountOf(workspaceId) };
  }

  /**
   * Lets the connections of a run through and writes them to its log, until what is returned is called. A proxy that
   * cannot listen is no error here: without it the run reaches nothing.
   */
  async join(workspaceId: string, run: Outgoing): Promise<() => void> {
    const room = this.room(workspaceId);
    room.runs.add(run);
    try {
      // A run of before the restart may have the folder mounted whose policy is `none` by now: it is told so.
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
   * A way out for something that has no workspace and ends with this service; null where it reaches nothing.
   * @returns what its container has to be given; call `remove` when that is gone.
   */
  async open(id: string, policy: NetworkPolicy, run: Outgoing): Promise<NetworkMount | null> {
    this.passing.set(id, policy);
    const mount = await this.mountFor(id);
    if (mount !== null) await this.join(id, run);
    return mount;
  }

  /** Forgets a workspace: policy, socket and all. Call it when no container uses it. */
  async remove(workspaceId: string): Promise<void> {
    const room = this.rooms.get(workspaceId);
    this.rooms.delete(workspaceId);
    this.passing.delete(workspaceId);
    await (await room?.proxy)?.close();
    await this.store.forget(workspaceId);
    await rm(this.folders.pathOf(workspaceId), { recursive: true, force: true });
  }

  /** Stops all proxies. Their folders stay: containers that run on have them mounted, and the next start listens there. */
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
    // For the commands' user; on this machine the folder above keeps everybody else out.
    await chmod(dir, 0o755);
    const proxy = new EgressProxy({
      policy: () => this.policy(workspaceId),
      admit: (connection) => this.admit(workspaceId, room, connection),
      resolve: this.resolve,
      // Two runs of a workspace share its socket, and what they may use.
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
    // Two runs of a workspace share its socket; what they do is put down to the newer one.
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
