import { endpoint } from '../endpoint.js';
import { EventReference, EventRuleReference } from '../goals.js';
import {
  AddEventRule,
  AddEventSource,
  AddedEventSource,
  EventReceipt,
  EventRule,
  EventRuleList,
  EventSource,
  EventSourceList,
  EventSourceName,
  EventTest,
  ReceivedEvent,
  ReceivedEventList,
} from '../incoming-events.js';
import * as z from 'zod';

const Which = z.object({
  source: EventSourceName.optional(),
  limit: z.coerce.number().int().min(1).max(200).default(50),
});

export const eventsApi = {
  receive: endpoint('POST /v1/events/:name', {
    scope: 'nothing',
    summary: 'Send an event; its source’s own secret proves it',
    params: { name: EventSourceName },
    answer: EventReceipt,
    status: 202,
  }),
  addSource: endpoint('POST /v1/event-sources', {
    scope: 'admin',
    summary: 'Let a sender in; its secret is shown this once',
    body: AddEventSource,
    answer: AddedEventSource,
    status: 201,
  }),
  sources: endpoint('GET /v1/event-sources', {
    scope: 'observe',
    summary: 'Senders of events, by name',
    answer: EventSourceList,
  }),
  removeSource: endpoint('DELETE /v1/event-sources/:name', {
    scope: 'admin',
    summary: 'Take a sender out, with its rules and events; goals stay',
    params: { name: EventSourceName },
    answer: EventSource,
  }),
  addRule: endpoint('POST /v1/event-rules', {
    scope: 'admin',
    summary: 'Say which goal an event gives',
    body: AddEventRule,
    answer: EventRule,
    status: 201,
  }),
  rules: endpoint('GET /v1/event-rules', {
    scope: 'observe',
    summary: 'Rules of events, in the order in which they are tried',
    answer: EventRuleList,
  }),
  removeRule: endpoint('DELETE /v1/event-rules/:ref', {
    scope: 'admin',
    summary: 'End a rule; its goals stay',
    params: { ref: EventRuleReference },
    answer: EventRule,
  }),
  list: endpoint('GET /v1/events', {
    scope: 'observe',
    summary: 'Events that came, newest first, and what came of them',
    query: Which,
    answer: ReceivedEventList,
  }),
  find: endpoint('GET /v1/events/:ref', {
    scope: 'observe',
    summary: 'One event',
    params: { ref: EventReference },
    answer: ReceivedEvent,
  }),
  test: endpoint('GET /v1/events/:ref/test', {
    scope: 'observe',
    summary: 'What an event would begin by today’s rules; nothing is done',
    params: { ref: EventReference },
    answer: EventTest,
  }),
  replay: endpoint('POST /v1/events/:ref/replay', {
    scope: 'operate',
    summary: 'Take a kept event again, by today’s rules',
    params: { ref: EventReference },
    answer: EventReceipt,
  }),
};
