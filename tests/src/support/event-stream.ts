import { requestTo } from '@aish/client/http.client';
import { chatApi } from '@aish/contracts/endpoints/sessions';
import { LiveBody, SessionEvent } from '@aish/contracts/events';
import type { ApiClient } from './api.client.js';

export interface Seen {
  readonly events: SessionEvent[];
  readonly live: LiveBody[];
}

/** Reads a session's stream until `enough` is true, then disconnects. */
export async function readEvents(
  client: ApiClient,
  sessionId: string,
  enough: (seen: Seen) => boolean,
  lastEventId?: number,
): Promise<Seen> {
  const request = requestTo(chatApi.events, { params: { ref: sessionId } });
  const headers = lastEventId === undefined ? {} : { 'last-event-id': String(lastEventId) };
  const seen: Seen = { events: [], live: [] };
  for await (const frame of client.events({ ...request, headers }, AbortSignal.timeout(60_000))) {
    if (frame === 'open') continue;
    const data: unknown = JSON.parse(frame.data);
    if (frame.id === undefined) seen.live.push(LiveBody.parse(data));
    else {
      const event = SessionEvent.parse(data);
      if (String(event.seq) !== frame.id || event.body.type !== frame.event)
        throw new Error('events: id or name is off');
      seen.events.push(event);
    }
    if (enough(seen)) return seen;
  }
  throw new Error(`events: the stream ended after ${seen.events.length} events`);
}
