import { LiveBody, Notice, SessionEvent } from '@aish/contracts/events';
import { FILE_MEDIA_TYPES, type FileForm } from '@aish/contracts/files';
import type { EventSourceMessage } from 'eventsource-parser';
import { follow, type Followed } from './follow.js';
import { Transport } from './transport.js';

/** An item of a session's stream. Besides the content there are items for losing and regaining the connection. */
export type FeedItem =
  | { readonly type: 'event'; readonly event: SessionEvent }
  | { readonly type: 'live'; readonly body: LiveBody }
  /** An event that this version does not know, which is not an error. */
  | { readonly type: 'unknown'; readonly name: string };

export type NoticeItem = { readonly type: 'notice'; readonly notice: Extract<Notice, { type: 'events' }> };

/** The functions of the api. The contracts parse all responses. Every error is an ApiError. */
export class ApiClient extends Transport {
  /** Downloads a single file, or any path as a tar. The content arrives completely, or the call throws ApiError. */
  pullFile(sessionId: string, path: string, form: FileForm, signal: AbortSignal): AsyncGenerator<Uint8Array> {
    return this.bytes({ path: filesPath(sessionId, `/${form}`, path) }, signal);
  }

  pushFile(
    sessionId: string,
    path: string,
    form: FileForm,
    upload: ReadableStream<Uint8Array>,
    signal: AbortSignal,
  ): Promise<void> {
    const headers = { 'content-type': FILE_MEDIA_TYPES[form] };
    return this.put({ path: filesPath(sessionId, `/${form}`, path), upload, headers }, signal);
  }

  /**
   * Yields all events of a session from the first one, each once and in order, and the live text, until `signal`
   * aborts. A lost connection is reported as `lost` and reopened automatically.
   *
   * @throws ApiError if a retry cannot help, for example because the session does not exist.
   */
  async *followSession(sessionId: string, signal: AbortSignal): AsyncGenerator<Followed<FeedItem>> {
    let seen = 0;
    const path = `/v1/sessions/${encodeURIComponent(sessionId)}/events`;
    const connect = () => this.events({ path, headers: seen > 0 ? { 'last-event-id': String(seen) } : {} }, signal);
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
   * Yields an item whenever anything changes. Nothing is replayed, so the caller should list again after each `open`.
   *
   * @param options.stubborn retries after refusals too, because somebody may correct the token.
   */
  async *followNotices(options: {
    readonly signal: AbortSignal;
    readonly stubborn: boolean;
  }): AsyncGenerator<Followed<NoticeItem>> {
    const connect = () => this.events({ path: '/v1/notices' }, options.signal);
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
    return undefined; // The caller reports an unknown event.
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
