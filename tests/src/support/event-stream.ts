import { LiveBody, SessionEvent } from '@aish/contracts/events';
import { EventSourceParserStream } from 'eventsource-parser/stream';
import type { ApiClient } from './api.client.js';

export interface Seen {
  readonly events: SessionEvent[];
  readonly live: LiveBody[];
}

/** Reads a session's stream until `enough` says so, then leaves. */
export async function readEvents(
  client: ApiClient,
  sessionId: string,
  enough: (seen: Seen) => boolean,
  lastEventId?: number,
): Promise<Seen> {
  const leave = new AbortController();
  const hang = AbortSignal.timeout(60_000);
  const response = await fetch(`${client.url}/v1/sessions/${sessionId}/events`, {
    headers: {
      authorization: `Bearer ${client.token}`,
      ...(lastEventId === undefined ? {} : { 'last-event-id': String(lastEventId) }),
    },
    signal: AbortSignal.any([leave.signal, hang]),
  });
  if (!response.ok || response.body === null) throw new Error(`events: ${response.status} ${await response.text()}`);
  const seen: Seen = { events: [], live: [] };
  try {
    for await (const frame of response.body
      .pipeThrough(new TextDecoderStream())
      .pipeThrough(new EventSourceParserStream())) {
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
  } finally {
    leave.abort();
  }
  throw new Error(`events: the stream ended after ${seen.events.length} events`);
}
