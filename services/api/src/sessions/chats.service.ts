import { Injectable } from '@nestjs/common';
import { Part } from '../part.js';
import { randomUUID } from 'node:crypto';
import { openInSpace } from '@aish/actions';
import type { ChangeSession, CreateSession, ForkSession, Session } from '@aish/contracts/chat';
import type { EventBody } from '@aish/contracts/events';
import { DEFAULT_PRESET } from '@aish/contracts/goals';
import { AishError } from '@aish/contracts/problems';
import { applyOverrides } from '@aish/contracts/spaces';
import { Trust } from '@aish/contracts/trust';
import { folderNotice, hostNotice, noticeTurn } from '@aish/prompt';
import { insertChat, lockChat, setChatSettings } from '@aish/database/chats.repository';
import type { Database } from '@aish/database/client';
import { recordEvents } from '@aish/database/events.repository';
import { copyRefusals } from '@aish/database/refusals.repository';
import type { SessionSpaces } from '@aish/database/session-spaces';
import { copyTurns, renameSession } from '@aish/database/sessions.repository';
import { inTransaction } from '@aish/database/transaction';
import { appendTurn, appendTurns } from '@aish/database/turns.repository';
import type { Tx } from '@aish/database/tx';
import { checkHosts } from '../hosts/hosts.service.js';
import { sessionOf } from '../references.js';
import { spaceFor, type Person } from '../spaces/space-access.js';
import { checkTrust, checkTrustIn } from '../spaces/trust.js';
import type { EventHub } from './event-hub.js';
import { HostFolders } from './host-folders.js';

export interface SessionDefaults {
  readonly presets: readonly string[];
  readonly autoContinue: boolean;
  readonly confirmCommands: boolean;
  readonly trustMax: Trust;
}

/** Starts and changes chats for people. */
@Injectable()
export class ChatsService {
  constructor(
    @Part('db') private readonly db: Database,
    @Part('hub') private readonly hub: EventHub,
    @Part('sessionDefaults') private readonly defaults: SessionDefaults,
    private readonly folders: HostFolders,
    @Part('spaces') private readonly spaces: SessionSpaces,
  ) {}

  async create(owner: Person, input: CreateSession): Promise<Session> {
    return this.insert(owner, input, null, async () => undefined);
  }

  /**
   * @throws AishError `not_found`; `invalid_body` if the preset does not exist; `trust_not_allowed` or `forbidden` if
   * the caller may not give that trust
   */
  async change(by: Person, reference: string, change: ChangeSession): Promise<Session> {
    const session = await sessionOf(this.db.statements, reference);
    if (session.kind === 'goal') {
      const { title: _title, ...others } = change;
      if (Object.values(others).some((value) => value !== undefined)) {
        throw new AishError('invalid_body', 'The session of a goal has no settings except its title');
      }
      await renameSession(this.db.statements, session.id, change.title ?? session.title);
      return sessionOf(this.db.statements, session.id);
    }
    if (change.preset !== undefined) this.checkPreset(change.preset);
    await checkTrustIn(this.db.statements, change.trust, this.defaults.trustMax, by, session.space);
    const folders = await this.folders.check(change.hostFolders ?? []);
    const hosts = await checkHosts(this.db.statements, change.hosts ?? []);
    const events = await inTransaction(this.db, async (tx) => {
      const row = await lockChat(tx, session.id);
      if (row === null) throw new AishError('not_found', `There is no session ${reference}`);
      const settings = {
        preset: change.preset ?? row.preset,
        autoContinue: change.autoContinue ?? row.auto_continue,
        confirmCommands: change.confirmCommands ?? row.confirm_commands,
        trust: change.trust ?? Trust.parse(row.trust),
        hostFolders: [...(change.hostFolders ?? row.host_folders)],
        hosts: [...(change.hosts ?? row.hosts)],
      };
      // The runner reads the setting with its next message, and the model reads this notice.
      if (change.hostFolders !== undefined) await appendTurn(tx, session.id, noticeTurn(folderNotice(folders)));
      if (change.hosts !== undefined) await appendTurn(tx, session.id, noticeTurn(hostNotice(hosts)));
      await setChatSettings(tx, session.id, { ...settings, titled: row.titled || change.title !== undefined });
      if (change.title !== undefined) await renameSession(tx, session.id, change.title);
      const title = change.title ?? session.title;
      return recordEvents(tx, session.id, [{ type: 'chat.changed', title, ...settings, by: by.name }]);
    });
    this.hub.recorded(session.id, events);
    return sessionOf(this.db.statements, session.id);
  }

  /** Creates a chat that shares the turns of another chat up to the given one. @throws AishError `not_found` */
  async fork(owner: Person, reference: string, { turn, title }: ForkSession): Promise<Session> {
    const from = await sessionOf(this.db.statements, reference);
    const last = Math.min(turn ?? from.turns, from.turns);
    const input = {
      title: title ?? `${from.title.slice(0, 110)} (fork)`,
      ...(from.preset === null ? {} : { preset: from.preset }),
      ...(from.autoContinue === null ? {} : { autoContinue: from.autoContinue }),
      ...(from.confirmCommands === null ? {} : { confirmCommands: from.confirmCommands }),
      // The shared turns mention these folders.
      hostFolders: from.hostFolders,
      hosts: from.hosts,
      space: from.space,
    };
    return this.insert(owner, input, { sessionId: from.id, turn: last }, async (tx, id) => {
      await copyTurns(tx, from.id, id, last);
      // The fork has the hosts and host folders in which a person refused something.
      await copyRefusals(tx, from.id, id);
    });
  }

  private async insert(
    owner: Person,
    input: CreateSession,
    forkedFrom: { readonly sessionId: string; readonly turn: number } | null,
    fill: (tx: Tx, id: string) => Promise<void>,
  ): Promise<Session> {
    const space = await spaceFor(this.db.statements, owner, input.space);
    checkTrust(input.trust, this.defaults.trustMax, owner, space);
    const options = applyOverrides(space, input);
    const preset = options.preset ?? this.defaults.presets[0] ?? DEFAULT_PRESET;
    this.checkPreset(preset);
    // A fork's folders were checked before. If one no longer exists, its commands are refused.
    if (forkedFrom === null) {
      await this.folders.check(input.hostFolders ?? []);
      await checkHosts(this.db.statements, input.hosts ?? []);
    }
    const offers = await this.folders.offers(options.hostFolders);
    const id = randomUUID();
    const { session, events } = await inTransaction(this.db, async (tx) => {
      await insertChat(tx, {
        id,
        owner: owner.name,
        title: input.title ?? null,
        preset,
        autoContinue: input.autoContinue ?? this.defaults.autoContinue,
        confirmCommands: input.confirmCommands ?? this.defaults.confirmCommands,
        trust: input.trust ?? 'ask',
        hostFolders: options.hostFolders,
        hosts: options.hosts,
        forkedFrom,
      });
      await fill(tx, id);
      await appendTurns(tx, id, await openInSpace(tx, id, options, offers));
      const created: EventBody = {
        type: 'chat.created',
        title: input.title ?? 'new chat',
        preset,
        trust: input.trust ?? 'ask',
        by: owner.name,
        forkedFrom,
      };
      const events = await recordEvents(tx, id, [created]);
      return { session: await sessionOf(tx, id), events };
    });
    this.spaces.know(id, { space: space.name, servers: space.mcpServers });
    this.hub.recorded(id, events);
    return session;
  }

  private checkPreset(preset: string): void {
    const { presets } = this.defaults;
    if (presets.includes(preset)) return;
    throw new AishError('invalid_body', `There is no preset ${preset}. The presets are ${presets.join(', ')}`, {
      errors: [{ path: 'preset', message: `one of ${presets.join(', ')}` }],
    });
  }
}
