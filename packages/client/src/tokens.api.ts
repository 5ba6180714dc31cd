import { AuditCheck, AuditList, type AuditAction } from '@aish/contracts/audit';
import { NewToken, Token, TokenList, type CreateToken } from '@aish/contracts/tokens';
import type { Transport } from './transport.js';

export function listTokens(transport: Transport, signal?: AbortSignal): Promise<TokenList> {
  return transport.json(TokenList, { path: '/v1/tokens' }, signal);
}

export function createToken(transport: Transport, body: CreateToken, signal?: AbortSignal): Promise<NewToken> {
  return transport.json(NewToken, { method: 'POST', path: '/v1/tokens', body }, signal);
}

/** @param reference name or UUID */
export function revokeToken(transport: Transport, reference: string, signal?: AbortSignal): Promise<Token> {
  return transport.json(Token, { method: 'DELETE', path: `/v1/tokens/${encodeURIComponent(reference)}` }, signal);
}

export function listAudit(
  transport: Transport,
  query: { readonly action?: AuditAction | undefined; readonly before?: number | undefined; readonly limit: number },
  signal?: AbortSignal,
): Promise<AuditList> {
  const params = new URLSearchParams({ limit: String(query.limit) });
  if (query.action !== undefined) params.set('action', query.action);
  if (query.before !== undefined) params.set('before', String(query.before));
  return transport.json(AuditList, { path: `/v1/audit?${params.toString()}` }, signal);
}

/** @param head a hash that was the newest once. */
export function checkAudit(transport: Transport, head: string | undefined, signal?: AbortSignal): Promise<AuditCheck> {
  const path = `/v1/audit/check${head === undefined ? '' : `?head=${encodeURIComponent(head)}`}`;
  return transport.json(AuditCheck, { path }, signal);
}
