import {
  RunbookDetail,
  RunbookList,
  RunbookProposal,
  RunbookProposalDetail,
  RunbookProposalList,
  type AcceptRunbookProposal,
  type PutRunbook,
} from '@aish/contracts/runbooks';
import type { z } from 'zod';
import type { Transport } from './transport.js';

const at = (name: string, rest = ''): string => `/v1/runbooks/${encodeURIComponent(name)}${rest}`;

export function listRunbooks(transport: Transport, signal?: AbortSignal): Promise<RunbookList> {
  return transport.json(RunbookList, { path: '/v1/runbooks' }, signal);
}

export function showRunbook(transport: Transport, name: string, signal?: AbortSignal): Promise<RunbookDetail> {
  return transport.json(RunbookDetail, { path: at(name) }, signal);
}

export function putRunbook(
  transport: Transport,
  name: string,
  body: z.input<typeof PutRunbook>,
  signal?: AbortSignal,
): Promise<RunbookDetail> {
  return transport.json(RunbookDetail, { method: 'PUT', path: at(name), body }, signal);
}

export function acceptRunbook(
  transport: Transport,
  name: string,
  digest: string,
  signal?: AbortSignal,
): Promise<RunbookDetail> {
  return transport.json(RunbookDetail, { method: 'POST', path: at(name, '/accept'), body: { digest } }, signal);
}

const PROPOSALS = '/v1/runbook-proposals';

export function listRunbookProposals(transport: Transport, signal?: AbortSignal): Promise<RunbookProposalList> {
  return transport.json(RunbookProposalList, { path: PROPOSALS }, signal);
}

export function showRunbookProposal(
  transport: Transport,
  reference: string,
  signal?: AbortSignal,
): Promise<RunbookProposalDetail> {
  return transport.json(RunbookProposalDetail, { path: `${PROPOSALS}/${reference}` }, signal);
}

export function acceptRunbookProposal(
  transport: Transport,
  reference: string,
  body: AcceptRunbookProposal,
  signal?: AbortSignal,
): Promise<RunbookDetail> {
  return transport.json(RunbookDetail, { method: 'POST', path: `${PROPOSALS}/${reference}/accept`, body }, signal);
}

export function rejectRunbookProposal(
  transport: Transport,
  reference: string,
  signal?: AbortSignal,
): Promise<RunbookProposal> {
  return transport.json(RunbookProposal, { method: 'POST', path: `${PROPOSALS}/${reference}/reject` }, signal);
}
