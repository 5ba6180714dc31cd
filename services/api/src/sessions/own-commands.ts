import { randomUUID } from 'node:crypto';
import { forbidsGrants, sessionSecrets } from '@aish/actions';
import type { RunOutcome } from '@aish/contracts/actions';
import type { Session } from '@aish/contracts/chat';
import { chatApi } from '@aish/contracts/endpoints/sessions';
import type { EventBody, SessionEvent } from '@aish/contracts/events';
import { AishError, isAishError } from '@aish/contracts/problems';
import type { RunRequestInput } from '@aish/contracts/runs';
import { appendAudit } from '@aish/database/audit.repository';
import type { Database } from '@aish/database/client';
import { recordEvents } from '@aish/database/events.repository';
import { listHosts } from '@aish/database/hosts.repository';
import { inTransaction } from '@aish/database/transaction';
import type { Tx } from '@aish/database/tx';
import { SseStream, type Logger } from '@aish/http';
import { hostCalls } from '@aish/safety';
import type { Sandbox } from '@aish/sandbox-client';
import type { SecretBox } from '@aish/secrets/secret-box';
import { Controller, Injectable } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { ServeRaw, type Call } from '../http/serve.js';
import { Part } from '../part.js';
import { sessionOf } from '../references.js';
import { SafetyService } from '../safety/safety.service.js';
import { SessionFeed } from './event-feed.js';
import type { EventHub } from './event-hub.js';
import { sendItem } from './session-streams.js';

const CANCEL_WITHIN_MS = 10_000;

/**
 * Commands that people run in a session's workspace. They have the access of the session's commands, except for other
 * hosts. A token that may run them could also approve them.
 */
@Injectable()
export class OwnCommands {
  constructor(
    private readonly safety: SafetyService,
    @Part('db') private readonly db: Database,
    @Part('hub') private readonly hub: EventHub,
    @Part('sandbox') private readonly sandbox: Sandbox,
    @Part('secretBox') private readonly secretBox: SecretBox,
    @Part('logger') private readonly logger: Logger,
  ) {}

  /**
   * Runs a command and streams the session's events until it ends. A person who leaves the stream stops it.
   *
   * @throws AishError `not_found`; `locked` while the session works; `forbidden` if it needs several people;
   * `host_not_given` if it names a host. All before anything is sent.
   */
  async run(by: string, reference: string, command: string, reply: FastifyReply): Promise<void> {
    const session = await sessionOf(this.db.statements, reference);
    await this.check(session, command);
    const secrets = await sessionSecrets(this.db, this.secretBox)(session.id);
    const commandId = randomUUID();
    const feed = new SessionFeed(this.db, this.hub, session.id, true);
    let seq: number;
    try {
      const started = { type: 'command.started', commandId, command, by } as const;
      const subject = session.goalNumber === null ? `c${session.number}` : `g${session.goalNumber}`;
      seq = await this.record(session.id, started, (tx) =>
        appendAudit(tx, { actor: by, action: 'command.run', subject, facts: { command, session: session.id } }),
      );
    } catch (error) {
      feed.close();
      throw error;
    }
    const stream = new SseStream(reply);
    void this.follow(
      {
        runId: commandId,
        workspaceId: session.id,
        command,
        // The model's next command starts where its last one ended, as its approval says.
        carryOver: false,
        hostFolders: session.hostFolders,
        secrets: [...secrets],
        // Files of the person are not what the model made, so it may not destroy them without a question.
        hold: { origin: session.id, mode: 'note' },
      },
      stream.closed,
    ).catch((err: unknown) => this.logger.error({ err }, 'could not record the end of a command'));
    for await (const item of feed.items(seq - 1, stream.closed)) {
      await sendItem(stream, item);
      const body = item.type === 'event' ? item.event.body : null;
      if (body?.type === 'command.ended' && body.commandId === commandId) return stream.end();
    }
  }

  private async check(session: Session, command: string): Promise<void> {
    if (session.state === 'running' || session.goalState === 'running') {
      const name = session.goalState === 'running' ? `Goal ${session.goalNumber}` : `Session ${session.number}`;
      throw new AishError('locked', `${name} is working. Stop it, or wait until it halts or ends`, { retryAfterS: 2 });
    }
    // Without aish's check of each request, `ssh` only says that it cannot resolve the name.
    const named = hostCalls(command).flatMap((call) => (call.kind === 'push' ? [] : [call.host]));
    const hosts = named.length === 0 ? [] : await listHosts(this.db.statements);
    const host = hosts.find(({ name, address }) => named.includes(name) || named.includes(address));
    if (host !== undefined) {
      const message = `Your own commands do not reach hosts. Ask the model to run it on ${host.name}, or use your own terminal`;
      throw new AishError('host_not_given', message);
    }
    // One person's own command must not replace an approval by several people or by another one.
    if (await forbidsGrants(this.db.statements, session.id, this.safety.classify(command))) {
      const message = `The space ${session.space} wants other people to approve this command, too. Let the model propose it`;
      throw new AishError('forbidden', message, { needed: 'decide' });
    }
  }

  private async follow(request: RunRequestInput, closed: AbortSignal): Promise<void> {
    const { runId: commandId, workspaceId } = request;
    const cancel = (): void => {
      this.sandbox.cancel(commandId, AbortSignal.timeout(CANCEL_WITHIN_MS)).catch((err: unknown) => {
        this.logger.warn({ err }, 'could not stop a command');
      });
    };
    closed.addEventListener('abort', cancel, { once: true });
    let ended: { readonly outcome: RunOutcome | null; readonly reason: string | null };
    try {
      // A signal that is already aborted fires no more event.
      ended = closed.aborted
        ? { outcome: null, reason: 'The person left before the command started' }
        : { outcome: await this.outcomeOf(request), reason: null };
    } catch (error) {
      if (!isAishError(error)) this.logger.error({ err: error }, 'could not run a command');
      const reason = isAishError(error) ? `${error.code}: ${error.message}` : 'An internal error occurred';
      ended = { outcome: null, reason };
    } finally {
      closed.removeEventListener('abort', cancel);
    }
    await this.record(workspaceId, { type: 'command.ended', commandId, ...ended });
  }

  private async outcomeOf(request: RunRequestInput): Promise<RunOutcome> {
    const { runId: actionId, workspaceId } = request;
    for await (const frame of this.sandbox.run(request, new AbortController().signal)) {
      if (frame.type === 'exit') return frame.outcome;
      if (frame.type !== 'output') continue;
      const { stream, text } = frame;
      this.hub.live(workspaceId, { type: 'action.output', goalId: null, actionId, stream, text });
    }
    throw new AishError('internal', 'The stream of a run ended without an exit frame');
  }

  /** @returns the sequence number of the event */
  private async record(sessionId: string, body: EventBody, more?: (tx: Tx) => Promise<void>): Promise<number> {
    const events: readonly SessionEvent[] = await inTransaction(this.db, async (tx) => {
      await more?.(tx);
      return recordEvents(tx, sessionId, [body]);
    });
    this.hub.recorded(sessionId, events);
    return events[0]?.seq ?? 0;
  }
}

@Controller()
export class OwnCommandsController {
  constructor(private readonly commands: OwnCommands) {}

  @ServeRaw(chatApi.command)
  run(
    { token, params: { ref: reference }, body: { command } }: Call<typeof chatApi.command>,
    reply: FastifyReply,
  ): Promise<void> {
    return this.commands.run(token.name, reference, command, reply);
  }
}
