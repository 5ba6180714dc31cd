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
  }),
  compact: endpoint('POST /v1/memory/documents/:scope/compact', {
    scope: 'any token',
    summary: 'Archive a document and have a model write it anew, shorter',
    params: { scope: DocumentScope },
    body: CompactDocument,
    answer: Compaction,
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
