import {
  AddedMemory,
  CandidateList,
  ForgottenMany,
  ForgottenMemory,
  ImportReport,
  MemoryBackground,
  MemoryCandidate,
  MemoryCounts,
  MemoryHits,
  MemoryItem,
  MemoryList,
  MemoryTrail,
  Summary,
  type AcceptCandidate,
  type AddMemory,
  type CandidateState,
  type EditMemory,
  type ListMemory,
  type Summarize,
} from '@aish/contracts/memory';
import {
  Compaction,
  DocumentList,
  DocumentReading,
  SavedSummary,
  WrittenDocument,
  type DocumentScope,
  type ReadDocument,
  type SaveSummary,
  type WriteDocument,
} from '@aish/contracts/memory-documents';
import type { z } from 'zod';
import type { Transport } from './transport.js';

/** A model thinks about these. */
const MODEL_TIMEOUT_MS = 10 * 60_000;
const FILE_TIMEOUT_MS = 10 * 60_000;

export function countMemory(transport: Transport, signal?: AbortSignal): Promise<MemoryCounts> {
  return transport.json(MemoryCounts, { path: '/v1/memory' }, signal);
}

export function listMemory(
  transport: Transport,
  query: Partial<ListMemory> = {},
  signal?: AbortSignal,
): Promise<MemoryList> {
  return transport.json(MemoryList, { path: `/v1/memory/items${queryOf(query)}` }, signal);
}

export function addMemory(
  transport: Transport,
  body: z.input<typeof AddMemory>,
  signal?: AbortSignal,
): Promise<AddedMemory> {
  return transport.json(AddedMemory, { method: 'POST', path: '/v1/memory/items', body }, signal);
}

export function whyMemory(transport: Transport, number: number, signal?: AbortSignal): Promise<MemoryTrail> {
  return transport.json(MemoryTrail, { path: `/v1/memory/items/${number}/why` }, signal);
}

export function editMemory(
  transport: Transport,
  number: number,
  body: EditMemory,
  signal?: AbortSignal,
): Promise<AddedMemory> {
  return transport.json(AddedMemory, { method: 'POST', path: `/v1/memory/items/${number}/edit`, body }, signal);
}

export function forgetMemory(transport: Transport, number: number, signal?: AbortSignal): Promise<ForgottenMemory> {
  return transport.json(ForgottenMemory, { method: 'DELETE', path: `/v1/memory/items/${number}` }, signal);
}

/** Only after a person was asked. */
export function clearMemory(transport: Transport, signal?: AbortSignal): Promise<ForgottenMany> {
  return transport.json(ForgottenMany, { method: 'POST', path: '/v1/memory/clear', body: { confirm: true } }, signal);
}

export function pruneMemory(transport: Transport, olderThanDays: number, signal?: AbortSignal): Promise<ForgottenMany> {
  return transport.json(ForgottenMany, { method: 'POST', path: '/v1/memory/prune', body: { olderThanDays } }, signal);
}

export function searchMemory(
  transport: Transport,
  q: string,
  limit: number,
  signal?: AbortSignal,
): Promise<MemoryHits> {
  return transport.json(MemoryHits, { path: `/v1/memory/search${queryOf({ q, limit })}` }, signal);
}

/** Without a session: what a new one would be told. */
export function injectMemory(
  transport: Transport,
  sessionId: string | undefined,
  signal?: AbortSignal,
): Promise<MemoryBackground> {
  const body = sessionId === undefined ? {} : { sessionId };
  return transport.json(MemoryBackground, { method: 'POST', path: '/v1/memory/inject', body }, signal);
}

export function summarizeSession(transport: Transport, body: Summarize, signal?: AbortSignal): Promise<Summary> {
  const request = { method: 'POST' as const, path: '/v1/memory/summarize', body, timeoutMs: MODEL_TIMEOUT_MS };
  return transport.json(Summary, request, signal);
}

export function listCandidates(
  transport: Transport,
  state: CandidateState = 'pending',
  signal?: AbortSignal,
): Promise<CandidateList> {
  return transport.json(CandidateList, { path: `/v1/memory/candidates${queryOf({ state })}` }, signal);
}

export function acceptCandidate(
  transport: Transport,
  number: number,
  body: AcceptCandidate = {},
  signal?: AbortSignal,
): Promise<MemoryItem> {
  return transport.json(MemoryItem, { method: 'POST', path: `/v1/memory/candidates/${number}/accept`, body }, signal);
}

export function rejectCandidate(transport: Transport, number: number, signal?: AbortSignal): Promise<MemoryCandidate> {
  return transport.json(MemoryCandidate, { method: 'POST', path: `/v1/memory/candidates/${number}/reject` }, signal);
}

/** The whole record as a memory.jsonl. */
export function exportMemory(transport: Transport, signal?: AbortSignal): Promise<string> {
  return transport.text({ path: '/v1/memory/export', timeoutMs: FILE_TIMEOUT_MS }, signal);
}

export function importMemory(transport: Transport, jsonl: string, signal?: AbortSignal): Promise<ImportReport> {
  const request = { method: 'POST' as const, path: '/v1/memory/import', body: { jsonl }, timeoutMs: FILE_TIMEOUT_MS };
  return transport.json(ImportReport, request, signal);
}

export function listDocuments(
  transport: Transport,
  space: string | undefined,
  signal?: AbortSignal,
): Promise<DocumentList> {
  return transport.json(DocumentList, { path: `/v1/memory/documents${queryOf({ space })}` }, signal);
}

export function readDocument(
  transport: Transport,
  scope: DocumentScope,
  query: { readonly [Key in keyof ReadDocument]?: ReadDocument[Key] | undefined },
  signal?: AbortSignal,
): Promise<DocumentReading> {
  return transport.json(DocumentReading, { path: `/v1/memory/documents/${scope}${queryOf(query)}` }, signal);
}

export function writeDocument(
  transport: Transport,
  scope: DocumentScope,
  body: WriteDocument,
  signal?: AbortSignal,
): Promise<WrittenDocument> {
  const path = `/v1/memory/documents/${scope}`;
  return transport.json(WrittenDocument, { method: 'POST', path, body, timeoutMs: FILE_TIMEOUT_MS }, signal);
}

export function compactDocument(
  transport: Transport,
  scope: DocumentScope,
  space: string | undefined,
  signal?: AbortSignal,
): Promise<Compaction> {
  const body = space === undefined ? {} : { space };
  const path = `/v1/memory/documents/${scope}/compact`;
  return transport.json(Compaction, { method: 'POST', path, body, timeoutMs: MODEL_TIMEOUT_MS }, signal);
}

/** Keeps a summary beside a document. */
export function saveSummary(
  transport: Transport,
  scope: DocumentScope,
  body: SaveSummary,
  signal?: AbortSignal,
): Promise<SavedSummary> {
  return transport.json(SavedSummary, { method: 'POST', path: `/v1/memory/documents/${scope}/archives`, body }, signal);
}

export function queryOf(query: Readonly<Record<string, string | number | undefined>>): string {
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined) params.set(name, String(value));
  return params.size === 0 ? '' : `?${params.toString()}`;
}
