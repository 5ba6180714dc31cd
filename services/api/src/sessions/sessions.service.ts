import { randomUUID } from 'node:crypto';
import type {
  ChangeSession,
  CreateSession,
  ForkSession,
  HistoryTurn,
  ImportSession,
  ListSessions,
  Session,
  SessionList,
  ToolGrant,
} from '@aish/contracts/chat';
import type { EventBody } from '@aish/contracts/events';
import { DEFAULT_PRESET } from '@aish/contracts/goals';
import { AishError } from '@aish/contracts/problems';
import type { ToolContext } from '@aish/contracts/tools';
import { Trust } from '@aish/contracts/trust';
import { openInSpace } from '@aish/actions';
import { deviate } from '@aish/contracts/spaces';
import { folderNotice, fromJsonLines, hostNotice, toJsonLines } from '@aish/conversation';
import { appendAudit } from '@aish/database/audit.repository';
import { findChat, insertChat, lockChat, setChatSettings, setGrants } from '@aish/database/chats.repository';
import type { Database } from '@aish/database/client';
import { recordEvents } from '@aish/database/events.repository';
import { findResult, type KeptResultRow } from '@aish/database/results.repository';
import {
  copyTurns,
  deleteSession,
  findSession,
  insertTurns,
  listHistory,
  listSessions,
  renameSession,
} from '@aish/database/sessions.repository';
import { inTransaction } from '@aish/database/transaction';
import { appendTurn } from '@aish/database/turns.repository';
import type { Tx } from '@aish/database/tx';
import type { Workspaces } from '@aish/sandbox-client';
import { covers, fingerprintOf, type Approval, type Toolbox } from '@aish/tools';
import type { EventHub } from './event-hub.js';
import { checkHosts } from '../hosts/given-hosts.js';
import { spaceFor, type Person } from '../spaces/space-access.js';
import { checkTrust } from '../spaces/trust.js';
import type { HostFolders } from './host-folders.js';
import { removeWorkspace } from './remove-workspace.js';

export interface SessionDefaults {
  readonly presets: readonly string[];
  readonly autoContinue: boolean;
  readonly confirmCommands: boolean;
  readonly trustMax: Trust;
}

const EXPORT_PAGE = 1_000;

/** Sessions as people handle them: list, find, rename, fork, delete, take away and bring back. */
export class SessionsService {
  constructor(
    private readonly db: Database,
    private readonly hub: EventHub,
    private readonly workspaces: Workspaces,
    private readonly toolbox: Toolbox,
    private readonly defaults: SessionDefaults,
    private readonly folders: HostFolders,
  ) {}

  async create(owner: Person, input: CreateSession): Promise<Session> {
    return this.insert(owner, input, null, async () => undefined);
  }

  async list({ kind, q, archived, limit }: ListSessions): Promise<SessionList> {
    const filter = { kind: kind ?? null, words: q ?? null, archived: archived === 'true', limit };
    return { items: await listSessions(this.db.statements, filter) };
  }

  /** @throws AishError `not_found` */
  async find(reference: string, tx: Tx = this.db.statements): Promise<Session> {
    const session = await findSession(tx, reference);
    if (session === null) throw new AishError('not_found', `There is no session ${reference}`);
    return session;
  }

  /** @throws AishError `not_found`, also for the session of a goal that nobody has talked about. */
  async findChat(reference: string): Promise<Session> {
    const session = await this.find(reference);
    if (session.kind === 'chat' || session.state !== null) return session;
    throw new AishError('not_found', `Session ${reference} is that of goal ${session.goalNumber}, not a chat`);
  }

  /**
   * @throws AishError `not_found`; `invalid_body` when there is no such preset; `trust_not_allowed`, `forbidden` where
   *   who asks may not trust it that far.
   */
  async change(by: Person, reference: string, change: ChangeSession): Promise<Session> {
    const session = await this.find(reference);
    if (session.kind === 'goal') {
      const { title: _title, ...others } = change;
      if (Object.values(others).some((value) => value !== undefined)) {
        throw new AishError('invalid_body', 'The session of a goal has a title and nothing else to set');
      }
      await renameSession(this.db.statements, session.id, change.title ?? session.title);
      return this.find(session.id);
    }
    if (change.preset !== undefined) this.checkPreset(change.preset);
    await this.checkTrust(by, session.space, change.trust);
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
      // The driver reads the setting with its next message, the model this.
      if (change.hostFolders !== undefined) await appendTurn(tx, session.id, 'notice', folderNotice(folders));
      if (change.hosts !== undefined) await appendTurn(tx, session.id, 'notice', hostNotice(hosts));
      await setChatSettings(tx, session.id, { ...settings, titled: row.titled || change.title !== undefined });
      if (change.title !== undefined) await renameSession(tx, session.id, change.title);
      const title = change.title ?? session.title;
      return recordEvents(tx, session.id, [{ type: 'chat.changed', title, ...settings, by: by.name }]);
    });
    this.hub.recorded(session.id, events);
    return this.find(session.id);
  }

  /** A new chat that shares the turns up to some one. @throws AishError `not_found` */
  async fork(owner: Person, reference: string, { turn, title }: ForkSession): Promise<Session> {
    const from = await this.find(reference);
    const last = Math.min(turn ?? from.turns, from.turns);
    const input = {
      title: title ?? `${from.title.slice(0, 110)} (fork)`,
      ...(from.preset === null ? {} : { preset: from.preset }),
      ...(from.autoContinue === null ? {} : { autoContinue: from.autoContinue }),
      ...(from.confirmCommands === null ? {} : { confirmCommands: from.confirmCommands }),
      // The turns that are shared speak of them.
      hostFolders: from.hostFolders,
      hosts: from.hosts,
      space: from.space,
    };
    return this.insert(owner, input, { sessionId: from.id, turn: last }, async (tx, id) => {
      await copyTurns(tx, from.id, id, last);
    });
  }

  /**
   * Deletes a chat with its workspace. The workspace goes first: when it cannot, all stays.
   * @throws AishError `not_found`; `busy` while it is at work; what the sandbox says.
   */
  async remove(by: string, reference: string): Promise<void> {
    const session = await this.find(reference);
    if (session.kind === 'goal') {
      throw new AishError(
        'invalid_body',
        `Session ${session.number} is that of goal ${session.goalNumber}; delete the goal`,
      );
    }
    if (session.state === 'running') throw new AishError('busy', 'The session is at work; stop it first');
    await removeWorkspace(this.workspaces, session.id);
    await inTransaction(this.db, async (tx) => {
      if (!(await deleteSession(tx, session.id))) return;
      await appendAudit(tx, { actor: by, action: 'session.deleted', subject: `c-${session.number}` });
    });
  }

  /** @throws AishError `not_found` */
  async history(reference: string, after: number | null, limit: number): Promise<HistoryTurn[]> {
    const session = await this.find(reference);
    return listHistory(this.db.statements, session.id, after, limit);
  }

  /** The session as JSON lines. @throws AishError `not_found` */
  async export(reference: string): Promise<string> {
    const session = await this.find(reference);
    const turns: HistoryTurn[] = [];
    for (;;) {
      const page = await listHistory(this.db.statements, session.id, turns.at(-1)?.seq ?? 0, EXPORT_PAGE);
      turns.push(...page);
      if (page.length < EXPORT_PAGE) break;
    }
    const { id, number, title, preset, createdAt } = session;
    return toJsonLines({ format: 'aish-session', version: 1, id, number, title, preset, createdAt }, turns);
  }

  /** @throws AishError `invalid_body` naming the line; nothing is imported then. */
  async import(owner: Person, { jsonl, title, preset }: ImportSession): Promise<Session> {
    const { meta, turns } = fromJsonLines(jsonl);
    const saved = typeof meta['title'] === 'string' ? meta['title'].trim().slice(0, 120) : '';
    const known =
      typeof meta['preset'] === 'string' && this.defaults.presets.includes(meta['preset']) ? meta['preset'] : undefined;
    const wanted = preset ?? known;
    const input = {
      title: title ?? (saved === '' ? 'imported session' : saved),
      ...(wanted === undefined ? {} : { preset: wanted }),
    };
    return this.insert(owner, input, null, (tx, id) => insertTurns(tx, id, turns));
  }

  /** What this session was granted beyond the configuration. */
  async grants(reference: string): Promise<readonly ToolGrant[]> {
    const { id } = await this.findChat(reference);
    const row = await findChat(this.db.statements, id);
    return ((row?.grants ?? []) as readonly Approval[]).map(({ tool }) => ({ tool }));
  }

  /** From now on calls of this tool need no question in this session, as long as the tool stays what it is. */
  async grant(owner: string, reference: string, { tool }: ToolGrant): Promise<readonly ToolGrant[]> {
    const { id } = await this.findChat(reference);
    const specs = await this.toolbox.specs({ sessionId: id, owner, goalId: null });
    const covered = specs.filter((spec) => covers(tool, spec.label));
    const fingerprints = Object.fromEntries(covered.map((spec) => [spec.label, fingerprintOf(spec)]));
    return this.setGrants(id, (grants) => [...grants.filter((each) => each.tool !== tool), { tool, fingerprints }]);
  }

  async revoke(reference: string, { tool }: ToolGrant): Promise<readonly ToolGrant[]> {
    const { id } = await this.findChat(reference);
    return this.setGrants(id, (grants) => grants.filter((each) => each.tool !== tool));
  }

  /** The tools that there are for a session. @throws AishError `not_found` */
  async tools(owner: string, reference: string): Promise<Awaited<ReturnType<Toolbox['specs']>>> {
    const { id } = await this.find(reference);
    const context: ToolContext = { sessionId: id, owner, goalId: null };
    return this.toolbox.specs(context);
  }

  /** What a tool answered and that was kept, by its handle. @throws AishError `not_found` */
  async result(reference: string, handle: string): Promise<KeptResultRow> {
    const { id } = await this.find(reference);
    const n = /^r-([1-9][0-9]{0,8})$/.exec(handle)?.[1];
    const row = n === undefined ? null : await findResult(this.db.statements, id, Number(n));
    if (row === null) throw new AishError('not_found', `There is no result ${handle} in this session`);
    return row;
  }

  private async setGrants(
    sessionId: string,
    change: (grants: readonly Approval[]) => readonly Approval[],
  ): Promise<readonly ToolGrant[]> {
    return inTransaction(this.db, async (tx) => {
      const row = await lockChat(tx, sessionId);
      if (row === null) throw new AishError('not_found', `There is no session ${sessionId}`);
      const grants = change(row.grants as readonly Approval[]);
      await setGrants(tx, sessionId, grants);
      return grants.map(({ tool }) => ({ tool }));
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
    const reach = deviate(space, input);
    const preset = reach.preset ?? this.defaults.presets[0] ?? DEFAULT_PRESET;
    this.checkPreset(preset);
    // Of a fork they were checked once; one that is gone since is refused to its commands.
    if (forkedFrom === null) {
      await this.folders.check(input.hostFolders ?? []);
      await checkHosts(this.db.statements, input.hosts ?? []);
    }
    const offers = await this.folders.offers(reach.hostFolders);
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
        hostFolders: reach.hostFolders,
        hosts: reach.hosts,
        forkedFrom,
      });
      await fill(tx, id);
      for (const notice of await openInSpace(tx, id, reach, offers)) await appendTurn(tx, id, 'notice', notice);
      const created: EventBody = {
        type: 'chat.created',
        title: input.title ?? 'new chat',
        preset,
        trust: input.trust ?? 'ask',
        by: owner.name,
        forkedFrom,
      };
      const events = await recordEvents(tx, id, [created]);
      return { session: await this.find(id, tx), events };
    });
    this.hub.recorded(id, events);
    return session;
  }

  private async checkTrust(by: Person, space: string, trust: Trust | undefined): Promise<void> {
    if (trust === undefined || trust === 'ask') return;
    checkTrust(trust, this.defaults.trustMax, by, await spaceFor(this.db.statements, by, space));
  }

  private checkPreset(preset: string): void {
    const { presets } = this.defaults;
    if (presets.includes(preset)) return;
    throw new AishError('invalid_body', `There is no preset ${preset}; there are ${presets.join(', ')}`, {
      errors: [{ path: 'preset', message: `one of ${presets.join(', ')}` }],
    });
  }
}
