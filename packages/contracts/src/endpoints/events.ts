import { endpoint } from '../endpoint.js';
import { NEW_WORK } from '../endpoint-problems.js';
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
    summary: 'Send an event, authenticated with the secret of its source',
    params: { name: EventSourceName },
    answer: EventReceipt,
    status: 202,
    problems: ['event_unproven', ...NEW_WORK],
  }),
  addSource: endpoint('POST /v1/event-sources', {
    scope: 'admin',
    summary: 'Add an event source; its secret is shown only once',
    body: AddEventSource,
    answer: AddedEventSource,
    status: 201,
    problems: ['name_taken'],
  }),
  sources: endpoint('GET /v1/event-sources', {
    scope: 'observe',
    summary: 'List event sources by name',
    answer: EventSourceList,
  }),
  removeSource: endpoint('DELETE /v1/event-sources/:name', {
    scope: 'admin',
    summary: 'Remove an event source with its rules and events; goals stay',
    params: { name: EventSourceName },
    answer: EventSource,
  }),
  addRule: endpoint('POST /v1/event-rules', {
    scope: 'admin',
    summary: 'Add a rule that starts a goal for matching events',
    body: AddEventRule,
    answer: EventRule,
    status: 201,
    problems: NEW_WORK,
  }),
  rules: endpoint('GET /v1/event-rules', {
    scope: 'observe',
    summary: 'List event rules in the order in which they are tried',
    answer: EventRuleList,
  }),
  removeRule: endpoint('DELETE /v1/event-rules/:ref', {
    scope: 'admin',
    summary: 'Remove an event rule; its goals stay',
    params: { ref: EventRuleReference },
    answer: EventRule,
  }),
  list: endpoint('GET /v1/events', {
    scope: 'observe',
    summary: 'List received events and their results, newest first',
    query: Which,
    answer: ReceivedEventList,
  }),
  find: endpoint('GET /v1/events/:ref', {
    scope: 'observe',
    summary: 'Show an event',
    params: { ref: EventReference },
    answer: ReceivedEvent,
  }),
  test: endpoint('GET /v1/events/:ref/test', {
    scope: 'observe',
    summary: 'Show what an event would start under the current rules, without starting it',
    params: { ref: EventReference },
    answer: EventTest,
  }),
  replay: endpoint('POST /v1/events/:ref/replay', {
    scope: 'operate',
    summary: 'Replay a stored event under the current rules',
    params: { ref: EventReference },
    answer: EventReceipt,
    problems: NEW_WORK,
  }),
};
