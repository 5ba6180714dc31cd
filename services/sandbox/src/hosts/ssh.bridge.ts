import { existsSync, readFileSync } from 'node:fs';
import { chmod, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import type { HostAnswer } from '@aish/contracts/hosts';
import type { Logger } from '@aish/http';
import type { OnApplicationShutdown } from '@nestjs/common';
import type { SocketFolders } from '../network/socket-folders.js';
import { holdsSecret } from '../secrets/placeholders.js';
import type { Run } from '../runs/run.js';
import { serveCall, type HostAsker } from './host.call.js';
import type { HostMount } from './host.mount.js';

const SOCKET_NAME = 'ssh.sock';
/** At once, of one workspace. */
const CALLS_MAX = 32;
/** A driver that judges may have to ask a model; one that is gone comes back, or another one does. */
const ANSWER_WAIT_MS = 150_000;
// Beside dist and src alike.
const CLIENT = readFileSync(new URL('../../scripts/ssh.py', import.meta.url), 'utf8');

const IN_CLEAR: HostAnswer = {
  verdict: 'refuse',
  message:
    'the command for the host contains a secret, and commands are stored: pass the secret to the program on stdin',
};

interface Room {
  readonly runs: Set<Run>;
  readonly calls: Set<Socket>;
  server: Promise<Server> | null;
}

/**
 * The way from commands to other hosts: a Unix socket for each workspace, behind the `ssh` that its containers have.
 * This service holds no key and decides nothing: it asks the driver of the run, and carries out the answer.
 */
export class SshBridge implements OnApplicationShutdown {
  private readonly rooms = new Map<string, Room>();
  private readonly waiting = new Map<string, (answer: HostAnswer) => void>();

  constructor(
    private readonly folders: SocketFolders,
    private readonly logger: Logger,
  ) {}

  /** What a container of this workspace has to be given. */
  async mountFor(workspaceId: string): Promise<HostMount> {
    const name = nameOf(workspaceId);
    this.folders.check(name, SOCKET_NAME);
    const dir = this.folders.pathOf(name);
    if (!existsSync(join(dir, 'ssh'))) {
      await this.folders.make(name);
      await writeFile(join(dir, 'ssh'), CLIENT);
      await chmod(join(dir, 'ssh'), 0o755);
      // For the commands' user; on this machine the folder above keeps everybody else out.
      await chmod(dir, 0o755);
    }
    return { hostDir: await this.folders.mountOf(name) };
  }

  /** Takes asks for a run, if its containers have the way, until what is returned is called. */
  async join(run: Run): Promise<() => void> {
    const { workspaceId, asksHosts } = run;
    if (asksHosts === false || (asksHosts === null && !existsSync(this.dirOf(workspaceId)))) return () => undefined;
    const room = this.rooms.get(workspaceId) ?? { runs: new Set(), calls: new Set(), server: null };
    this.rooms.set(workspaceId, room);
    room.runs.add(run);
    try {
      await this.mountFor(workspaceId);
      await (room.server ??= this.listen(workspaceId, room));
    } catch (error) {
      room.server = null;
      this.logger.warn({ err: error, workspaceId }, 'the way to other hosts cannot be opened');
    }
    return () => {
      room.runs.delete(run);
      if (room.runs.size > 0) return;
      this.rooms.delete(workspaceId);
      void close(room);
    };
  }

  /** @returns false when nobody waits for this answer. */
  answer(runId: string, id: string, answer: HostAnswer): boolean {
    const settle = this.waiting.get(`${runId} ${id}`);
    settle?.(answer);
    return settle !== undefined;
  }

  /** Forgets a workspace. Call it when no container uses it. */
  async remove(workspaceId: string): Promise<void> {
    await rm(this.dirOf(workspaceId), { recursive: true, force: true });
  }

  async onApplicationShutdown(): Promise<void> {
    await Promise.allSettled([...this.rooms.values()].map(close));
  }

  private async listen(workspaceId: string, room: Room): Promise<Server> {
    const path = join(this.dirOf(workspaceId), SOCKET_NAME);
    await rm(path, { force: true });
    const server = createServer((socket) => {
      if (room.calls.size >= CALLS_MAX) return void socket.destroy();
      room.calls.add(socket);
      socket.once('close', () => room.calls.delete(socket));
      void serveCall(socket, () => this.askerOf(room));
    });
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(path, resolve);
    });
    await chmod(path, 0o666);
    return server;
  }

  /** The socket is the workspace's: of two commands at once nobody could say which one asks. */
  private askerOf(room: Room): HostAsker | string {
    const [run, other] = room.runs;
    if (run === undefined) return 'no command runs';
    if (other !== undefined) return 'two commands run in this workspace at once: nobody can say which one asks';
    return {
      ask: async (ask, until) => {
        // What is asked for is written down, and shown to people and models.
        const exposed = run.hasUnknownSecrets ? null : run.secrets.filter((secret) => secret.exposed);
        if (exposed === null || ask.argv.some((word) => holdsSecret(word, exposed))) return IN_CLEAR;
        run.output.ask({ type: 'host', ask });
        return this.answerTo(run, ask.id, until).finally(() => run.output.settle(ask.id, null));
      },
      ended: (id, exitCode) => run.output.settle(id, { type: 'hostEnded', id, exitCode }),
    };
  }

  private async answerTo({ runId }: Run, id: string, until: AbortSignal): Promise<HostAnswer | null> {
    const key = `${runId} ${id}`;
    let stop = (): void => undefined;
    try {
      return await new Promise<HostAnswer | null>((resolve) => {
        const timer = setTimeout(() => resolve(null), ANSWER_WAIT_MS);
        const leave = (): void => resolve(null);
        until.addEventListener('abort', leave, { once: true });
        this.waiting.set(key, resolve);
        stop = () => {
          clearTimeout(timer);
          until.removeEventListener('abort', leave);
        };
      });
    } finally {
      stop();
      this.waiting.delete(key);
    }
  }

  private dirOf(workspaceId: string): string {
    return this.folders.pathOf(nameOf(workspaceId));
  }
}

function nameOf(workspaceId: string): string {
  return `${workspaceId}.h`;
}

async function close(room: Room): Promise<void> {
  const server = await room.server?.catch(() => null);
  for (const call of room.calls) call.destroy();
  server?.close();
}
