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
  evidence: endpoint('GET /v1/sessions/:ref/evidence', {
    scope: 'observe',
    summary: 'Logs and state that were read on hosts before a command ended something there',
    params: { ref: SessionReference },
    answer: EvidenceList,
  }),
};

export const chatApi = {
  message: endpoint('POST /v1/sessions/:ref/messages', {
    scope: 'operate',
    summary: 'Say something; answers with server-sent events until the exchange has ended',
    params: { ref: SessionReference },
    body: SendMessage,
    answer: 'text/event-stream',
  }),
  stop: endpoint('POST /v1/sessions/:ref/stop', {
    scope: 'operate',
    summary: 'Stop what a chat is doing; what came of the answer is kept',
    params: { ref: SessionReference },
    answer: StopResult,
  }),
  events: endpoint('GET /v1/sessions/:ref/events', {
    scope: 'observe',
    summary: 'What happens in a session, as server-sent events; resumes after Last-Event-ID',
    params: { ref: SessionReference },
    query: After,
    answer: 'text/event-stream',
  }),
  notices: endpoint('GET /v1/notices', {
    scope: 'observe',
    summary: 'A word whenever anything changes anywhere, as server-sent events; not replayed',
    answer: 'text/event-stream',
  }),
};

export const archiveApi = {
  archiveGoal: endpoint('POST /v1/goals/:ref/archive', {
    scope: 'operate',
    summary: 'Leave a goal that has ended out of the lists',
    params: { ref: GoalReference },
    answer: Goal,
  }),
  unarchiveGoal: endpoint('POST /v1/goals/:ref/unarchive', {
    scope: 'operate',
    summary: 'Have lists show a goal again',
    params: { ref: GoalReference },
    answer: Goal,
  }),
  deleteGoal: endpoint('DELETE /v1/goals/:ref', {
    scope: 'operate',
    summary: 'Delete a goal that has ended, with its record and its workspace',
    params: { ref: GoalReference },
  }),
  archiveSession: endpoint('POST /v1/sessions/:ref/archive', {
    scope: 'operate',
    summary: 'Leave a session out of the lists, and the goal it is of',
    params: { ref: SessionReference },
    answer: Session,
  }),
  unarchiveSession: endpoint('POST /v1/sessions/:ref/unarchive', {
    scope: 'operate',
    summary: 'Have lists show a session again',
    params: { ref: SessionReference },
    answer: Session,
  }),
};

export const sessionToolsApi = {
  list: endpoint('GET /v1/sessions/:ref/tools', {
    scope: 'observe',
    summary: 'The tools that there are for a session; what servers say of them is data',
    params: { ref: SessionReference },
    answer: ToolSpecList,
  }),
  grants: endpoint('GET /v1/sessions/:ref/grants', {
    scope: 'observe',
    summary: 'Tools that need no question in this session',
    params: { ref: SessionReference },
    answer: ToolGrantList,
  }),
  grant: endpoint('PUT /v1/sessions/:ref/grants', {
    scope: 'decide',
    summary: 'Let a tool, or all of a server, be called without a question in this session',
    params: { ref: SessionReference },
    body: ToolGrant,
    answer: ToolGrantList,
  }),
  revoke: endpoint('POST /v1/sessions/:ref/grants/revoke', {
    scope: 'decide',
    summary: 'Take a grant back',
    params: { ref: SessionReference },
    body: ToolGrant,
    answer: ToolGrantList,
  }),
};

export const sessionSandboxApi = {
  find: endpoint('GET /v1/sessions/:id/sandbox', {
    scope: 'observe',
    summary: 'Which sandbox service holds the workspace, and whether commands carry over',
    params: { id: Id },
    answer: SessionSandbox,
  }),
  set: endpoint('PUT /v1/sessions/:id/sandbox', {
    scope: 'operate',
    summary: 'Say whether a command begins where the last one ended',
    params: { id: Id },
    body: SetSessionSandbox,
    answer: SessionSandbox,
  }),
};

export const networkApi = {
  policy: endpoint('GET /v1/sessions/:id/network', {
    scope: 'observe',
    summary: 'What commands of a session may reach',
    params: { id: Id },
    answer: NetworkPolicy,
  }),
  set: endpoint('PUT /v1/sessions/:id/network', {
    scope: 'admin',
    summary: 'Say what commands of a session may reach; open connections are cut',
    params: { id: Id },
    body: NetworkPolicy,
    answer: NetworkPolicy,
  }),
  connections: endpoint('GET /v1/sessions/:id/network/connections', {
    scope: 'observe',
    summary: 'The newest connections of a session, as far as the sandbox remembers',
    params: { id: Id },
    answer: NetworkConnectionList,
  }),
};

export const commandGrantsApi = {
  list: endpoint('GET /v1/sessions/:ref/command-grants', {
    scope: 'observe',
    summary: 'What this chat does not ask about again',
    params: { ref: SessionReference },
    answer: GrantList,
  }),
  revoke: endpoint('DELETE /v1/sessions/:ref/command-grants/:id', {
    scope: 'decide',
    summary: 'Take such a grant back, from the next action on',
    params: { ref: SessionReference, id: z.uuid().toLowerCase() },
    answer: Grant,
  }),
};
