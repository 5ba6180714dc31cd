import { endpoint } from '../endpoint.js';
import {
  ChangeSession,
  CreateSession,
  ForkSession,
  ListSessions,
  ListTurns,
  Session,
  SessionList,
  TurnList,
} from '../chat.js';
import { SessionReference } from '../goals.js';
import { z } from 'zod';

export const sessionsApi = {
  create: endpoint('POST /v1/sessions', {
    scope: 'operate',
    summary: 'Begin a chat',
    body: CreateSession,
    answer: Session,
    status: 201,
  }),
  list: endpoint('GET /v1/sessions', {
    scope: 'observe',
    summary: 'Sessions, the one used last first; with q those that hold its words',
    query: ListSessions,
    answer: SessionList,
  }),
  show: endpoint('GET /v1/sessions/:ref', {
    scope: 'observe',
    summary: 'One session',
    params: { ref: SessionReference },
    answer: Session,
  }),
  change: endpoint('PATCH /v1/sessions/:ref', {
    scope: 'operate',
    summary: 'Rename a session, switch its model, change how it goes on',
    params: { ref: SessionReference },
    body: ChangeSession,
    answer: Session,
  }),
  remove: endpoint('DELETE /v1/sessions/:ref', {
    scope: 'operate',
    summary: 'Delete a chat, with its workspace',
    params: { ref: SessionReference },
  }),
  fork: endpoint('POST /v1/sessions/:ref/fork', {
    scope: 'operate',
    summary: 'A new chat that shares the turns up to some one',
    params: { ref: SessionReference },
    body: ForkSession,
    answer: Session,
    status: 201,
  }),
  turns: endpoint('GET /v1/sessions/:ref/turns', {
    scope: 'observe',
    summary: 'The record of a session',
    params: { ref: SessionReference },
    query: ListTurns,
    answer: TurnList,
  }),
  result: endpoint('GET /v1/sessions/:ref/results/:handle', {
    scope: 'observe',
    summary: 'A large result or an attachment of a tool, by its handle',
    params: { ref: SessionReference, handle: z.string().max(16) },
    status: 200,
  }),
};
