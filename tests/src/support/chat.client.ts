import { requestTo, type Request } from '@aish/client/http.client';
import type { Session } from '@aish/contracts/chat';
import { chatApi, sessionsApi } from '@aish/contracts/endpoints/sessions';
import type { Sent } from '@aish/contracts/endpoint';
import { LiveBody, SessionEvent, type EventBody } from '@aish/contracts/events';
import type { ApiClient } from './api.client.js';

/** One item of the stream of a message. */
export type StreamItem =
  | { readonly at: number; readonly seq: number; readonly body: EventBody }
  | { readonly at: number; readonly seq: null; readonly body: LiveBody };

/** Uses chats as a test needs them. */
export class ChatClient {
  constructor(readonly api: ApiClient) {}

  create(more: Sent<typeof sessionsApi.create>['body'] = {}): Promise<Session> {
    return this.api.call(sessionsApi.create, { body: more });
  }

  show(id: string): Promise<Session> {
    return this.api.call(sessionsApi.show, { params: { ref: id } });
  }

  /** Sends a message and yields the stream until the exchange has ended or `signal` aborts. */
  send(id: string, text: string, signal?: AbortSignal): AsyncGenerator<StreamItem> {
    return this.items(requestTo(chatApi.message, { params: { ref: id }, body: { text } }), signal);
  }

  /** Returns all items of the exchange. */
  async exchange(id: string, text: string): Promise<readonly StreamItem[]> {
    const items: StreamItem[] = [];
    for await (const item of this.send(id, text)) items.push(item);
    return items;
  }

  /** Returns the stored events of a session after `after`, up to the first event of type `until`. */
  async replay(id: string, after: number, until: StreamItem['body']['type']): Promise<readonly StreamItem[]> {
    const items: StreamItem[] = [];
    for await (const item of this.items(requestTo(chatApi.events, { params: { ref: id }, query: { after } }))) {
      items.push(item);
      if (item.body.type === until) break;
    }
    return items;
  }

  private async *items(request: Request, signal?: AbortSignal): AsyncGenerator<StreamItem> {
    const stop = AbortSignal.any([AbortSignal.timeout(60_000), ...(signal === undefined ? [] : [signal])]);
    for await (const message of this.api.events(request, stop)) {
      if (message === 'open') continue;
      const at = performance.now();
      const data: unknown = JSON.parse(message.data);
      if (message.id === undefined) yield { at, seq: null, body: LiveBody.parse(data) };
      else {
        const { seq, body } = SessionEvent.parse(data);
        yield { at, seq, body };
      }
    }
  }
}

/** Returns the stored bodies of one type. */
export function bodiesOf<T extends StreamItem['body']['type']>(
  items: readonly StreamItem[],
  type: T,
): Extract<StreamItem['body'], { type: T }>[] {
  return items.flatMap(({ body }) => (body.type === type ? [body as Extract<StreamItem['body'], { type: T }>] : []));
}
