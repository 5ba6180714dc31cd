import { Decision, DecisionList, type Verdict } from '@aish/contracts/decisions';
import { LiveBody, Notice, SessionEvent } from '@aish/contracts/events';
import {
  FILE_MEDIA_TYPES,
  FileList,
  GoalSnapshotList,
  Preview,
  UndoPreview,
  UndoScope,
  Undone,
  type FileForm,
} from '@aish/contracts/files';
import { type CreateGoalInput, Goal, GoalDetail, GoalList, type GoalState } from '@aish/contracts/goals';
import { Health } from '@aish/contracts/health';
import { ModelList } from '@aish/contracts/models';
import { Classification, SafetyRuleList, type SafetyCheck } from '@aish/contracts/safety';
import type { EventSourceMessage } from 'eventsource-parser';
import { follow, type Followed } from './follow.js';
import { Transport, type TransportOptions } from './transport.js';

/** Where a whole workspace is copied first. */
const COPY_TIMEOUT_MS = 125_000;

/** What a session's stream brings, besides losing and finding the connection. */
export type FeedItem =
  | { readonly type: 'event'; readonly event: SessionEvent }
  | { readonly type: 'live'; readonly body: LiveBody }
  /** Something that this version does not know; nothing is wrong. */
  | { readonly type: 'unknown'; readonly name: string };

export type NoticeItem = { readonly type: 'notice'; readonly notice: Extract<Notice, { type: 'events' }> };

/** The api as functions. Answers are parsed by the contracts; every error is an ApiError. */
export class ApiClient {
  /** For the areas that have a file of their own beside this one: `listItems(client.transport, …)`. */
  readonly transport: Transport;

  constructor(options: TransportOptions) {
    this.transport = new Transport(options);
  }

  health(signal?: AbortSignal): Promise<Health> {
    return this.transport.json(Health, { path: '/v1/health', withoutToken: true, alsoFine: [503] }, signal);
  }

  models(signal?: AbortSignal): Promise<ModelList> {
    return this.transport.json(ModelList, { path: '/v1/models' }, signal);
  }

  safetyPatterns(signal?: AbortSignal): Promise<SafetyRuleList> {
    return this.transport.json(SafetyRuleList, { path: '/v1/safety/patterns' }, signal);
  }

  checkSafety(check: SafetyCheck, signal?: AbortSignal): Promise<Classification> {
    return this.transport.json(Classification, { method: 'POST', path: '/v1/safety/check', body: check }, signal);
  }

  createGoal(goal: CreateGoalInput, signal?: AbortSignal): Promise<Goal> {
    return this.transport.json(Goal, { method: 'POST', path: '/v1/goals', body: goal }, signal);
  }

  listGoals(
    query: {
      readonly state?: GoalState;
      readonly archived?: boolean;
      readonly before?: number;
      readonly limit?: number;
    } = {},
    signal?: AbortSignal,
  ): Promise<GoalList> {
    return this.transport.json(GoalList, { path: `/v1/goals${queryOf(query)}` }, signal);
  }

  showGoal(reference: string, signal?: AbortSignal): Promise<GoalDetail> {
    return this.transport.json(GoalDetail, { path: `/v1/goals/${encodeURIComponent(reference)}` }, signal);
  }

  cancelGoal(reference: string, signal?: AbortSignal): Promise<Goal> {
    const path = `/v1/goals/${encodeURIComponent(reference)}/cancel`;
    return this.transport.json(Goal, { method: 'POST', path }, signal);
  }

  listDecisions(signal?: AbortSignal): Promise<DecisionList> {
    return this.transport.json(
      DecisionList,
      { path: `/v1/decisions${queryOf({ state: 'pending', limit: 500 })}` },
      signal,
    );
  }

  showDecision(reference: string, signal?: AbortSignal): Promise<Decision> {
    return this.transport.json(Decision, { path: `/v1/decisions/${encodeURIComponent(reference)}` }, signal);
  }

  giveVerdict(reference: string, verdict: Verdict, message: string | null, signal?: AbortSignal): Promise<Decision> {
    const path = `/v1/decisions/${encodeURIComponent(reference)}/verdict`;
    const body = message === null ? { verdict } : { verdict, message };
    return this.transport.json(Decision, { method: 'POST', path, body }, signal);
  }

  preview(reference: string, signal?: AbortSignal): Promise<Preview> {
    const path = `/v1/decisions/${encodeURIComponent(reference)}/preview`;
    return this.transport.json(Preview, { method: 'POST', path, timeoutMs: COPY_TIMEOUT_MS }, signal);
  }

  /** @param reference of a session. */
  listSnapshots(reference: string, signal?: AbortSignal): Promise<GoalSnapshotList> {
    return this.transport.json(
      GoalSnapshotList,
      { path: `/v1/sessions/${encodeURIComponent(reference)}/snapshots` },
      signal,
    );
  }

  /** What `undo` would bring back, and lose. */
  foretellUndo(actionId: string, { only }: UndoScope, signal?: AbortSignal): Promise<UndoPreview> {
    const path = `/v1/actions/${encodeURIComponent(actionId)}/undo?only=${only}`;
    return this.transport.json(UndoPreview, { path }, signal);
  }

  undo(actionId: string, { only }: UndoScope, signal?: AbortSignal): Promise<Undone> {
    const path = `/v1/actions/${encodeURIComponent(actionId)}/undo?only=${only}`;
    return this.transport.json(Undone, { method: 'POST', path, timeoutMs: COPY_TIMEOUT_MS }, signal);
  }

  listFiles(sessionId: string, path: string, signal?: AbortSignal): Promise<FileList> {
    return this.transport.json(FileList, { path: filesPath(sessionId, '', path) }, signal);
  }

  /** A file, or anything as a tar; whole, or it throws ApiError on the way. */
  pullFile(sessionId: string, path: string, form: FileForm, signal: AbortSignal): AsyncGenerator<Uint8Array> {
    return this.transport.bytes({ path: filesPath(sessionId, `/${form}`, path) }, signal);
  }

  pushFile(
    sessionId: string,
    path: string,
    form: FileForm,
    upload: ReadableStream<Uint8Array>,
    signal: AbortSignal,
  ): Promise<void> {
    const headers = { 'content-type': FILE_MEDIA_TYPES[form] };
    return this.transport.put({ path: filesPath(sessionId, `/${form}`, path), upload, headers }, signal);
  }

  /**
   * All events of a session from its first one on, each once and in order, and the live text, for as long as `signal`
   * lets it. A lost connection is told as `lost` and made again by itself.
   * @throws ApiError when asking again cannot help, for instance because there is no such session.
   */
  async *followSession(sessionId: string, signal: AbortSignal): AsyncGenerator<Followed<FeedItem>> {
    let seen = 0;
    const path = `/v1/sessions/${encodeURIComponent(sessionId)}/events`;
    const connect = () =>
      this.transport.events({ path, headers: seen > 0 ? { 'last-event-id': String(seen) } : {} }, signal);
    for await (const item of follow(connect, { signal })) {
      if (item.type !== 'item') {
        yield item;
        continue;
      }
      const read = readFeedItem(item.item);
      if (read.type === 'event') {
        if (read.event.seq <= seen) continue;
        seen = read.event.seq;
      }
      yield { type: 'item', item: read };
    }
  }

  /**
   * A word whenever anything changes. Nothing is replayed: list again after each `open`.
   * @param options.stubborn Goes on trying after refusals too (the token may be put right meanwhile).
   */
  async *followNotices(options: {
    readonly signal: AbortSignal;
    readonly stubborn: boolean;
  }): AsyncGenerator<Followed<NoticeItem>> {
    const connect = () => this.transport.events({ path: '/v1/notices' }, options.signal);
    for await (const item of follow(connect, options)) {
      if (item.type !== 'item') {
        yield item;
        continue;
      }
      const notice = Notice.safeParse(readJson(item.item.data));
      if (notice.success && notice.data.type === 'events') {
        yield { type: 'item', item: { type: 'notice', notice: notice.data } };
      }
    }
  }
}

function readFeedItem(message: EventSourceMessage): FeedItem {
  const data = readJson(message.data);
  if (message.id === undefined) {
    const body = LiveBody.safeParse(data);
    return body.success ? { type: 'live', body: body.data } : { type: 'unknown', name: message.event ?? 'message' };
  }
  const event = SessionEvent.safeParse(data);
  return event.success ? { type: 'event', event: event.data } : { type: 'unknown', name: message.event ?? 'message' };
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined; // told as an unknown event
  }
}

function filesPath(sessionId: string, form: string, path: string): string {
  return `/v1/sessions/${encodeURIComponent(sessionId)}/files${form}${queryOf({ path })}`;
}

function queryOf(query: Readonly<Record<string, string | number | boolean | undefined>>): string {
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined) params.set(name, String(value));
  return params.size === 0 ? '' : `?${params.toString()}`;
}
