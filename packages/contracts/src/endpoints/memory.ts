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
    summary: 'How many items are active, and how many candidates wait',
    answer: MemoryCounts,
  }),
  list: endpoint('GET /v1/memory/items', {
    scope: 'observe',
    summary: 'Items, newest first',
    query: ListMemory,
    answer: MemoryList,
  }),
  add: endpoint('POST /v1/memory/items', {
    scope: 'operate',
    summary: 'Remember something; says what is nearly the same and what looks like a secret',
    body: AddMemory,
    answer: AddedMemory,
    status: 201,
  }),
  show: endpoint('GET /v1/memory/items/:number', {
    scope: 'observe',
    summary: 'One item, forgotten or not',
    params: { number: MemoryNumber },
    answer: MemoryItem,
  }),
  why: endpoint('GET /v1/memory/items/:number/why', {
    scope: 'observe',
    summary: 'Where an item comes from, and what became of it',
    params: { number: MemoryNumber },
    answer: MemoryTrail,
  }),
  edit: endpoint('POST /v1/memory/items/:number/edit', {
    scope: 'operate',
    summary: 'Put a new item in the place of this one',
    params: { number: MemoryNumber },
    body: EditMemory,
    answer: AddedMemory,
  }),
  forget: endpoint('DELETE /v1/memory/items/:number', {
    scope: 'operate',
    summary: 'Forget an item; says so when there is nothing to forget',
    params: { number: MemoryNumber },
    answer: ForgottenMemory,
  }),
  clear: endpoint('POST /v1/memory/clear', {
    scope: 'operate',
    summary: 'Forget every active item, after a person has confirmed',
    body: ClearMemory,
    answer: ForgottenMany,
  }),
  prune: endpoint('POST /v1/memory/prune', {
    scope: 'operate',
    summary: 'Forget items older than so many days',
    body: PruneMemory,
    answer: ForgottenMany,
  }),
  search: endpoint('GET /v1/memory/search', {
    scope: 'any token',
    summary: 'Active items that fit some words, best first',
    query: SearchMemory,
    answer: MemoryHits,
  }),
  inject: endpoint('POST /v1/memory/inject', {
    scope: 'operate',
    summary: 'Reload the background block of a session, or see what a new session would get',
    body: InjectMemory,
    answer: MemoryBackground,
  }),
  sessionEnded: endpoint('POST /v1/memory/session-ended', {
    scope: 'operate',
    summary: 'Say that a session was left: what is set to happen then happens',
    body: EndSession,
    answer: EndedSession,
    status: 202,
  }),
  export: endpoint('GET /v1/memory/export', {
    scope: 'observe',
    summary: 'The whole record as a memory.jsonl, tombstones included',
    answer: 'application/jsonl',
  }),
  import: endpoint('POST /v1/memory/import', {
    scope: 'operate',
    summary: 'Take a memory.jsonl over; broken lines are reported and left out',
    body: ImportMemory,
    answer: ImportReport,
    timeoutMs: 600_000,
  }),
};

export const candidatesApi = {
  summarize: endpoint('POST /v1/memory/summarize', {
    scope: 'operate',
    summary: 'Have a model propose what to remember of a session; nothing is remembered by it',
    body: Summarize,
    answer: Summary,
    timeoutMs: 600_000,
  }),
  list: endpoint('GET /v1/memory/candidates', {
    scope: 'observe',
    summary: 'Candidates, oldest first',
    query: ListCandidates,
    answer: CandidateList,
  }),
  accept: endpoint('POST /v1/memory/candidates/:number/accept', {
    scope: 'operate',
    summary: 'Make a candidate an item, as it is or in other words',
    params: { number: MemoryNumber },
    body: AcceptCandidate,
    answer: MemoryItem,
  }),
  reject: endpoint('POST /v1/memory/candidates/:number/reject', {
    scope: 'operate',
    summary: 'Drop a candidate; it is not proposed again',
    params: { number: MemoryNumber },
    answer: MemoryCandidate,
  }),
};

export const documentsApi = {
  list: endpoint('GET /v1/memory/documents', {
    scope: 'any token',
    summary: 'The documents that this token may read, with sizes and archives',
    query: ListDocuments,
    answer: DocumentList,
  }),
  read: endpoint('GET /v1/memory/documents/:scope', {
    scope: 'any token',
    summary: 'Headings, a section, the tail or all of a document; or one of its archives',
    params: { scope: DocumentScope },
    query: ReadDocument,
    answer: DocumentReading,
  }),
  write: endpoint('POST /v1/memory/documents/:scope', {
    scope: 'any token',
    summary: 'Append to a document or replace it; 409 version_changed on a lost update',
    params: { scope: DocumentScope },
    body: WriteDocument,
    answer: WrittenDocument,
    timeoutMs: 600_000,
  }),
  compact: endpoint('POST /v1/memory/documents/:scope/compact', {
    scope: 'any token',
    summary: 'Archive a document and have a model write a shorter one',
    params: { scope: DocumentScope },
    body: CompactDocument,
    answer: Compaction,
    timeoutMs: 600_000,
  }),
  saveSummary: endpoint('POST /v1/memory/documents/:scope/archives', {
    scope: 'any token',
    summary: 'Keep the summary of a session beside a document',
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
