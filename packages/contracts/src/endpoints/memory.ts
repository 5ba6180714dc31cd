import { endpoint } from '../endpoint.js';
import {
  CompactDocument,
  Compaction,
  DocumentList,
  DocumentReading,
  DocumentScope,
  ListDocuments,
  ReadDocument,
  SaveSummary,
  SavedSummary,
  WriteDocument,
  WrittenDocument,
} from '../memory-documents.js';
import {
  AcceptCandidate,
  AddMemory,
  AddedMemory,
  CandidateList,
  ClearMemory,
  EditMemory,
  EndSession,
  EndedSession,
  ForgottenMany,
  ForgottenMemory,
  ImportMemory,
  ImportReport,
  InjectMemory,
  ListCandidates,
  ListMemory,
  MemoryBackground,
  MemoryCandidate,
  MemoryCounts,
  MemoryHits,
  MemoryItem,
  MemoryList,
  MemoryNumber,
  MemoryTrail,
  PruneMemory,
  SearchMemory,
  Summarize,
  Summary,
} from '../memory.js';
import { RecallHits, RecallQuery } from '../recall.js';

export const memoryApi = {
  counts: endpoint('GET /v1/memory', {
    scope: 'observe',
    summary: 'Count active items and pending proposals',
    answer: MemoryCounts,
  }),
  list: endpoint('GET /v1/memory/items', {
    scope: 'observe',
    summary: 'List items, newest first',
    query: ListMemory,
    answer: MemoryList,
  }),
  add: endpoint('POST /v1/memory/items', {
    scope: 'operate',
    summary: 'Remember something; the answer names similar items and possible secrets',
    body: AddMemory,
    answer: AddedMemory,
    status: 201,
  }),
  show: endpoint('GET /v1/memory/items/:number', {
    scope: 'observe',
    summary: 'Show an item, even if it was forgotten',
    params: { number: MemoryNumber },
    answer: MemoryItem,
  }),
  why: endpoint('GET /v1/memory/items/:number/why', {
    scope: 'observe',
    summary: 'Show the origin and history of an item',
    params: { number: MemoryNumber },
    answer: MemoryTrail,
  }),
  edit: endpoint('POST /v1/memory/items/:number/edit', {
    scope: 'operate',
    summary: 'Replace an item with a new one',
    params: { number: MemoryNumber },
    body: EditMemory,
    answer: AddedMemory,
  }),
  forget: endpoint('DELETE /v1/memory/items/:number', {
    scope: 'operate',
    summary: 'Forget an item; the answer says if it was already forgotten',
    params: { number: MemoryNumber },
    answer: ForgottenMemory,
  }),
  clear: endpoint('POST /v1/memory/clear', {
    scope: 'operate',
    summary: 'Forget all active items; a person must confirm',
    body: ClearMemory,
    answer: ForgottenMany,
  }),
  prune: endpoint('POST /v1/memory/prune', {
    scope: 'operate',
    summary: 'Forget items older than a number of days',
    body: PruneMemory,
    answer: ForgottenMany,
  }),
  search: endpoint('GET /v1/memory/search', {
    scope: 'any token',
    summary: 'Search active items, best matches first',
    query: SearchMemory,
    answer: MemoryHits,
  }),
  inject: endpoint('POST /v1/memory/inject', {
    scope: 'operate',
    summary: 'Reload the memory in a session, or show what a new session would get',
    body: InjectMemory,
    answer: MemoryBackground,
  }),
  sessionEnded: endpoint('POST /v1/memory/session-ended', {
    scope: 'operate',
    summary: 'Report that a person left a session; this starts what is set up for that case',
    body: EndSession,
    answer: EndedSession,
    status: 202,
  }),
  export: endpoint('GET /v1/memory/export', {
    scope: 'observe',
    summary: 'Export the memory as memory.jsonl, with records of forgotten items',
    answer: 'application/jsonl',
  }),
  import: endpoint('POST /v1/memory/import', {
    scope: 'operate',
    summary: 'Import a memory.jsonl; invalid lines are skipped and reported',
    body: ImportMemory,
    answer: ImportReport,
    timeoutMs: 600_000,
  }),
};

export const candidatesApi = {
  summarize: endpoint('POST /v1/memory/summarize', {
    scope: 'operate',
    summary: 'Let a model propose what to remember of a session; nothing is stored until accepted',
    body: Summarize,
    answer: Summary,
    timeoutMs: 600_000,
  }),
  list: endpoint('GET /v1/memory/candidates', {
    scope: 'observe',
    summary: 'List proposed memories, oldest first',
    query: ListCandidates,
    answer: CandidateList,
  }),
  accept: endpoint('POST /v1/memory/candidates/:number/accept', {
    scope: 'operate',
    summary: 'Accept a proposed memory, as it is or reworded',
    params: { number: MemoryNumber },
    body: AcceptCandidate,
    answer: MemoryItem,
  }),
  reject: endpoint('POST /v1/memory/candidates/:number/reject', {
    scope: 'operate',
    summary: 'Reject a proposed memory; it is not proposed again',
    params: { number: MemoryNumber },
    answer: MemoryCandidate,
  }),
};

export const documentsApi = {
  list: endpoint('GET /v1/memory/documents', {
    scope: 'any token',
    summary: 'List the documents that this token may read, with sizes and archives',
    query: ListDocuments,
    answer: DocumentList,
  }),
  read: endpoint('GET /v1/memory/documents/:scope', {
    scope: 'any token',
    summary: 'Show a document or one of its archives: its headings, a section, its end or all of it',
    params: { scope: DocumentScope },
    query: ReadDocument,
    answer: DocumentReading,
  }),
  write: endpoint('POST /v1/memory/documents/:scope', {
    scope: 'any token',
    summary: 'Append to a document or replace it; 409 version_changed if it has changed since you read it',
    params: { scope: DocumentScope },
    body: WriteDocument,
    answer: WrittenDocument,
    timeoutMs: 600_000,
  }),
  compact: endpoint('POST /v1/memory/documents/:scope/compact', {
    scope: 'any token',
    summary: 'Archive a document and let a model write a shorter one',
    params: { scope: DocumentScope },
    body: CompactDocument,
    answer: Compaction,
    timeoutMs: 600_000,
  }),
  saveSummary: endpoint('POST /v1/memory/documents/:scope/archives', {
    scope: 'any token',
    summary: 'Store the summary of a session beside a document',
    params: { scope: DocumentScope },
    body: SaveSummary,
    answer: SavedSummary,
    status: 201,
  }),
};

export const recallApi = {
  recall: endpoint('GET /v1/recall', {
    scope: 'any token',
    summary: 'Search memory, documents, knowledge, and your past chats and goals at once, best first',
    query: RecallQuery,
    answer: RecallHits,
  }),
};
