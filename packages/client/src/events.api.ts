import {
  AddedEventSource,
  EventReceipt,
  EventRule,
  EventRuleList,
  EventSource,
  EventSourceList,
  EventTest,
  ReceivedEvent,
  ReceivedEventList,
  type AddEventRule,
  type AddEventSource,
} from '@aish/contracts/incoming-events';
import type { z } from 'zod';
import type { Transport } from './transport.js';

export function addEventSource(
  transport: Transport,
  body: z.input<typeof AddEventSource>,
  signal?: AbortSignal,
): Promise<AddedEventSource> {
  return transport.json(AddedEventSource, { method: 'POST', path: '/v1/event-sources', body }, signal);
}

export function listEventSources(transport: Transport, signal?: AbortSignal): Promise<EventSourceList> {
  return transport.json(EventSourceList, { path: '/v1/event-sources' }, signal);
}

export function removeEventSource(transport: Transport, name: string, signal?: AbortSignal): Promise<EventSource> {
  return transport.json(EventSource, { method: 'DELETE', path: `/v1/event-sources/${name}` }, signal);
}

export function addEventRule(
  transport: Transport,
  body: z.input<typeof AddEventRule>,
  signal?: AbortSignal,
): Promise<EventRule> {
  return transport.json(EventRule, { method: 'POST', path: '/v1/event-rules', body }, signal);
}

export function listEventRules(transport: Transport, signal?: AbortSignal): Promise<EventRuleList> {
  return transport.json(EventRuleList, { path: '/v1/event-rules' }, signal);
}

export function removeEventRule(transport: Transport, reference: string, signal?: AbortSignal): Promise<EventRule> {
  return transport.json(EventRule, { method: 'DELETE', path: `/v1/event-rules/${reference}` }, signal);
}

/** Newest first. */
export function listReceivedEvents(
  transport: Transport,
  { source, limit }: { readonly source?: string | undefined; readonly limit: number },
  signal?: AbortSignal,
): Promise<ReceivedEventList> {
  const path = `/v1/events?limit=${limit}${source === undefined ? '' : `&source=${encodeURIComponent(source)}`}`;
  return transport.json(ReceivedEventList, { path }, signal);
}

export function showReceivedEvent(
  transport: Transport,
  reference: string,
  signal?: AbortSignal,
): Promise<ReceivedEvent> {
  return transport.json(ReceivedEvent, { path: `/v1/events/${reference}` }, signal);
}

export function testReceivedEvent(transport: Transport, reference: string, signal?: AbortSignal): Promise<EventTest> {
  return transport.json(EventTest, { path: `/v1/events/${reference}/test` }, signal);
}

export function replayEvent(transport: Transport, reference: string, signal?: AbortSignal): Promise<EventReceipt> {
  return transport.json(EventReceipt, { method: 'POST', path: `/v1/events/${reference}/replay`, body: {} }, signal);
}
