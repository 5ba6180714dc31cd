import { Secret, SecretList, SessionSecrets, type SetSecret } from '@aish/contracts/secrets';
import type { Transport } from './transport.js';

export function listSecrets(transport: Transport, signal?: AbortSignal): Promise<SecretList> {
  return transport.json(SecretList, { path: '/v1/secrets' }, signal);
}

export function setSecret(transport: Transport, name: string, body: SetSecret, signal?: AbortSignal): Promise<Secret> {
  return transport.json(Secret, { method: 'PUT', path: `/v1/secrets/${encodeURIComponent(name)}`, body }, signal);
}

export function removeSecret(transport: Transport, name: string, signal?: AbortSignal): Promise<Secret> {
  return transport.json(Secret, { method: 'DELETE', path: `/v1/secrets/${encodeURIComponent(name)}` }, signal);
}

export function giveSecrets(
  transport: Transport,
  sessionId: string,
  names: readonly string[],
  signal?: AbortSignal,
): Promise<SessionSecrets> {
  return transport.json(
    SessionSecrets,
    { method: 'PUT', path: `/v1/sessions/${sessionId}/secrets`, body: { names } },
    signal,
  );
}

export function sessionSecrets(transport: Transport, sessionId: string, signal?: AbortSignal): Promise<SessionSecrets> {
  return transport.json(SessionSecrets, { path: `/v1/sessions/${sessionId}/secrets` }, signal);
}
