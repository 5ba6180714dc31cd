import { Session } from '@aish/contracts/chat';
import { LiveBody, SessionEvent, type EventBody, type EventType } from '@aish/contracts/events';
import { createParser } from 'eventsource-parser';
import type { ApiClient } from './api.client.js';

/** One item of a message's stream, as it came. */
export type StreamItem =
  | { readonly at: number; readonly seq: number; readonly body: EventBody }
  | { readonly at: number; readonly seq: null; readonly body: LiveBody };

/** Chats as a test sees them. */
export class ChatClient {
  constructor(readonly api: ApiClient) {}

  create(more: Readonly<Record<string, unknown>> = {}): Promise<Session> {
    return this.api.json(Session, 'POST', '/v1/sessions', more);
  }

  show(id: string): Promise<Session> {
    return this.api.json(Session, 'GET', `/v1/sessions/${id}`);
  }

  /** Sends a message and yields what comes, until the exchange has ended or `signal` aborts. */
  async *send(id: string, text: string, signal?: AbortSignal): AsyncGenerator<StreamItem> {
    const response = await fetch(`${this.api.url}/v1/sessions/${id}/messages`, {
      method: 'POST',
      headers: { authorization: `Bearer ${this.api.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ text }),
      signal: AbortSignal.any([AbortSignal.timeout(60_000), ...(signal === undefined ? [] : [signal])]),
    });
    if (!response.ok || response.body === null) throw new Error(`${response.status} ${await response.text()}`);
    yield* itemsOf(response.body);
  }

  /** The whole exchange. */
  async exchange(id: string, text: string): Promise<readonly StreamItem[]> {
    const items: StreamItem[] = [];
    for await (const item of this.send(id, text)) items.push(item);
    return items;
  }

  /** Stored events of a session from some one on, until one of type `until` has come. */
  async replay(id: string, after: number, until: EventType): Promise<readonly StreamItem[]> {
    const leave = new AbortController();
    const response = await fetch(`${this.api.url}/v1/sessions/${id}/events?after=${after}`, {
      headers: { authorization: `Bearer ${this.api.token}` },
      signal: AbortSignal.any([AbortSignal.timeout(60_000), leave.signal]),
    });
    if (!response.ok || response.body === null) throw new Error(`${response.status} ${await response.text()}`);
    const items: StreamItem[] = [];
    for await (const item of itemsOf(response.body)) {
      items.push(item);
      if (item.body.type === until) break;
    }
    leave.abort();
    return items;
  }
}

async function* itemsOf(body: ReadableStream<Uint8Array>): AsyncGenerator<StreamItem> {
  const items: StreamItem[] = [];
  const parser = createParser({
    onEvent: ({ id, data }) => {
      const at = performance.now();
      if (id === undefined) items.push({ at, seq: null, body: LiveBody.parse(JSON.parse(data)) });
      else {
        const event = SessionEvent.parse(JSON.parse(data));
        items.push({ at, seq: event.seq, body: event.body });
      }
    },
  });
  const decoder = new TextDecoder();
  for await (const piece of body) {
    parser.feed(decoder.decode(piece, { stream: true }));
    yield* items.splice(0);
  }
}

/** The stored bodies of one type. */
export function bodiesOf<T extends EventType>(
  items: readonly StreamItem[],
  type: T,
): Extract<EventBody, { type: T }>[] {
  return items.flatMap(({ body }) => (body.type === type ? [body as Extract<EventBody, { type: T }>] : []));
}
