import {
  Session,
  SessionList,
  StopResult,
  TurnList,
  type ChangeSession,
  type CreateSession,
  type ListSessions,
} from '@aish/contracts/chat';
import { EndedSession } from '@aish/contracts/memory';
import type { Transport } from './transport.js';

const pathOf = (reference: string): string => `/v1/sessions/${encodeURIComponent(reference)}`;

export function createSession(http: Transport, body: CreateSession, signal?: AbortSignal): Promise<Session> {
  return http.json(Session, { method: 'POST', path: '/v1/sessions', body }, signal);
}

export function listSessions(
  http: Transport,
  query: Partial<Omit<ListSessions, 'archived'>> & { readonly archived?: boolean },
  signal?: AbortSignal,
): Promise<SessionList> {
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined) params.set(name, String(value));
  return http.json(SessionList, { path: `/v1/sessions?${params.toString()}` }, signal);
}

export function showSession(http: Transport, reference: string, signal?: AbortSignal): Promise<Session> {
  return http.json(Session, { path: pathOf(reference) }, signal);
}

export function changeSession(
  http: Transport,
  reference: string,
  body: ChangeSession,
  signal?: AbortSignal,
): Promise<Session> {
  return http.json(Session, { method: 'PATCH', path: pathOf(reference), body }, signal);
}

export function archiveSession(
  http: Transport,
  reference: string,
  archived: boolean,
  signal?: AbortSignal,
): Promise<Session> {
  const path = `${pathOf(reference)}/${archived ? 'archive' : 'unarchive'}`;
  return http.json(Session, { method: 'POST', path }, signal);
}

/** The newest turns of a session, oldest of them first. */
export function listTurns(http: Transport, reference: string, limit: number, signal?: AbortSignal): Promise<TurnList> {
  return http.json(TurnList, { path: `${pathOf(reference)}/turns?limit=${limit}` }, signal);
}

export function stopSession(http: Transport, reference: string, signal?: AbortSignal): Promise<StopResult> {
  return http.json(StopResult, { method: 'POST', path: `${pathOf(reference)}/stop` }, signal);
}

/** Says that a session was left. */
export function endSession(http: Transport, sessionId: string, signal?: AbortSignal): Promise<EndedSession> {
  return http.json(EndedSession, { method: 'POST', path: '/v1/memory/session-ended', body: { sessionId } }, signal);
}

/**
 * Says something in a session and stays until the exchange has ended. What happens is followed by `followSession`; this
 * stream is only kept open because some servers end an exchange that nobody listens to.
 * @throws ApiError, also when the message is not taken.
 */
export async function sendMessage(
  http: Transport,
  reference: string,
  text: string,
  onTaken: () => void,
  signal: AbortSignal,
): Promise<void> {
  const request = { method: 'POST', path: `${pathOf(reference)}/messages`, body: { text } } as const;
  for await (const item of http.events(request, signal)) if (item === 'open') onTaken();
}
