import { RunCommand } from '../actions.js';
import {
  ChangeSession,
  CreateSession,
  ForkSession,
  ListSessions,
  ListTurns,
  SendMessage,
  Session,
  SessionList,
  StopResult,
  ToolGrant,
  ToolGrantList,
  TurnList,
} from '../chat.js';
import { endpoint } from '../endpoint.js';
import { NEW_WORK, RUN } from '../endpoint-problems.js';
import { EvidenceList } from '../evidence.js';
import { Goal, GoalReference, SessionReference } from '../goals.js';
import { Grant, GrantList } from '../grants.js';
import { NetworkConnectionList, NetworkPolicy } from '../network.js';
import { SessionSandbox, SetSessionSandbox } from '../sandboxes.js';
import { ToolSpec } from '../tools.js';
import * as z from 'zod';

const After = z.object({ after: z.union([z.literal('latest'), z.coerce.number().int().min(0)]).optional() });
const ToolSpecList = z.object({ items: z.array(ToolSpec) }).meta({ id: 'ToolSpecList' });
const Id = z.uuid().toLowerCase();

export const sessionsApi = {
  create: endpoint('POST /v1/sessions', {
    scope: 'operate',
    summary: 'Start a chat',
    body: CreateSession,
    answer: Session,
    status: 201,
    problems: NEW_WORK,
  }),
  list: endpoint('GET /v1/sessions', {
    scope: 'observe',
    summary: 'List sessions, most recently used first; q searches their text',
    query: ListSessions,
    answer: SessionList,
  }),
  show: endpoint('GET /v1/sessions/:ref', {
    scope: 'observe',
    summary: 'Show a session',
    params: { ref: SessionReference },
    answer: Session,
  }),
  change: endpoint('PATCH /v1/sessions/:ref', {
    scope: 'operate',
    summary: 'Rename a session, switch its model or change its settings',
    params: { ref: SessionReference },
    body: ChangeSession,
    answer: Session,
    problems: ['decision_waits', ...NEW_WORK],
  }),
  remove: endpoint('DELETE /v1/sessions/:ref', {
    scope: 'operate',
    summary: 'Delete a chat and its workspace',
    params: { ref: SessionReference },
    problems: ['goal_not_ended', 'busy', 'locked'],
  }),
  fork: endpoint('POST /v1/sessions/:ref/fork', {
    scope: 'operate',
    summary: 'Fork a chat: start a new one with its turns up to a given one',
    params: { ref: SessionReference },
    body: ForkSession,
    answer: Session,
    status: 201,
    problems: NEW_WORK,
  }),
  turns: endpoint('GET /v1/sessions/:ref/turns', {
    scope: 'observe',
    summary: 'List the events of a session',
    params: { ref: SessionReference },
    query: ListTurns,
    answer: TurnList,
  }),
  result: endpoint('GET /v1/sessions/:ref/results/:handle', {
    scope: 'observe',
    summary: 'Fetch a large result or an attachment of a tool, by its handle',
    params: { ref: SessionReference, handle: z.string().max(16) },
    status: 200,
    problems: ['file_not_found'],
  }),
  evidence: endpoint('GET /v1/sessions/:ref/evidence', {
    scope: 'observe',
    summary: 'List the evidence (logs and states) collected on hosts before commands stopped something there',
    params: { ref: SessionReference },
    answer: EvidenceList,
  }),
};

export const chatApi = {
  message: endpoint('POST /v1/sessions/:ref/messages', {
    scope: 'operate',
    summary:
      'Send a message; the answer is a stream of server-sent events until the exchange ends. A running goal reads it at its next turn',
    params: { ref: SessionReference },
    body: SendMessage,
    answer: 'text/event-stream',
    problems: ['goal_ended', 'model_unreachable', ...RUN],
  }),
  command: endpoint('POST /v1/sessions/:ref/commands', {
    scope: 'decide',
    summary:
      'Run a command of your own in the session’s workspace without being asked; the answer is a stream of server-sent events until it ends. Closing the stream stops it',
    params: { ref: SessionReference },
    body: RunCommand,
    answer: 'text/event-stream',
    problems: ['goal_ended', ...RUN],
  }),
  stop: endpoint('POST /v1/sessions/:ref/stop', {
    scope: 'operate',
    summary: 'Stop a chat’s current exchange; the partial answer is kept',
    params: { ref: SessionReference },
    answer: StopResult,
  }),
  events: endpoint('GET /v1/sessions/:ref/events', {
    scope: 'observe',
    summary: 'Stream the events of a session (server-sent events); resumes after Last-Event-ID',
    params: { ref: SessionReference },
    query: After,
    answer: 'text/event-stream',
  }),
  notices: endpoint('GET /v1/notices', {
    scope: 'observe',
    summary: 'Stream a short event for every change anywhere (server-sent events); not replayed',
    answer: 'text/event-stream',
  }),
};

export const archiveApi = {
  archiveGoal: endpoint('POST /v1/goals/:ref/archive', {
    scope: 'operate',
    summary: 'Archive a goal that has ended',
    params: { ref: GoalReference },
    answer: Goal,
    problems: ['goal_not_ended', 'busy'],
  }),
  unarchiveGoal: endpoint('POST /v1/goals/:ref/unarchive', {
    scope: 'operate',
    summary: 'Restore an archived goal',
    params: { ref: GoalReference },
    answer: Goal,
  }),
  deleteGoal: endpoint('DELETE /v1/goals/:ref', {
    scope: 'operate',
    summary: 'Delete a goal that has ended, with its events and its workspace',
    params: { ref: GoalReference },
    problems: ['goal_not_ended', 'busy', 'locked'],
  }),
  archiveSession: endpoint('POST /v1/sessions/:ref/archive', {
    scope: 'operate',
    summary: 'Archive a session and its goal',
    params: { ref: SessionReference },
    answer: Session,
    problems: ['goal_not_ended', 'busy'],
  }),
  unarchiveSession: endpoint('POST /v1/sessions/:ref/unarchive', {
    scope: 'operate',
    summary: 'Restore an archived session',
    params: { ref: SessionReference },
    answer: Session,
  }),
};

export const sessionToolsApi = {
  list: endpoint('GET /v1/sessions/:ref/tools', {
    scope: 'observe',
    summary: 'List the tools of a session; treat the servers’ descriptions as data',
    params: { ref: SessionReference },
    answer: ToolSpecList,
  }),
  grants: endpoint('GET /v1/sessions/:ref/grants', {
    scope: 'observe',
    summary: 'List the tools that this session may call without asking',
    params: { ref: SessionReference },
    answer: ToolGrantList,
  }),
  grant: endpoint('PUT /v1/sessions/:ref/grants', {
    scope: 'decide',
    summary: 'Allow this session to call a tool, or all tools of a server, without asking',
    params: { ref: SessionReference },
    body: ToolGrant,
    answer: ToolGrantList,
    problems: ['grant_forbidden', 'decision_waits'],
  }),
  revoke: endpoint('POST /v1/sessions/:ref/grants/revoke', {
    scope: 'decide',
    summary: 'Revoke a grant',
    params: { ref: SessionReference },
    body: ToolGrant,
    answer: ToolGrantList,
  }),
};

export const sessionSandboxApi = {
  find: endpoint('GET /v1/sessions/:id/sandbox', {
    scope: 'observe',
    summary: 'Show which sandbox service has the workspace, and whether commands share their shell state',
    params: { id: Id },
    answer: SessionSandbox,
  }),
  set: endpoint('PUT /v1/sessions/:id/sandbox', {
    scope: 'operate',
    summary: 'Set whether a command keeps the folder and variables of the last one',
    params: { id: Id },
    body: SetSessionSandbox,
    answer: SessionSandbox,
    problems: ['decision_waits'],
  }),
};

export const networkApi = {
  policy: endpoint('GET /v1/sessions/:id/network', {
    scope: 'observe',
    summary: 'Show what a session’s commands may access',
    params: { id: Id },
    answer: NetworkPolicy,
  }),
  set: endpoint('PUT /v1/sessions/:id/network', {
    scope: 'admin',
    summary: 'Set what a session’s commands may access; open connections are closed',
    params: { id: Id },
    body: NetworkPolicy,
    answer: NetworkPolicy,
    problems: ['decision_waits', 'network_full'],
  }),
  connections: endpoint('GET /v1/sessions/:id/network/connections', {
    scope: 'observe',
    summary: 'List the most recent connections of a session that the sandbox remembers',
    params: { id: Id },
    answer: NetworkConnectionList,
  }),
};

export const commandGrantsApi = {
  list: endpoint('GET /v1/sessions/:ref/command-grants', {
    scope: 'observe',
    summary: 'List the grants of a chat',
    params: { ref: SessionReference },
    answer: GrantList,
  }),
  revoke: endpoint('DELETE /v1/sessions/:ref/command-grants/:id', {
    scope: 'decide',
    summary: 'Revoke a grant of a chat, from the next action on',
    params: { ref: SessionReference, id: z.uuid().toLowerCase() },
    answer: Grant,
    problems: ['grant_revoked'],
  }),
};
