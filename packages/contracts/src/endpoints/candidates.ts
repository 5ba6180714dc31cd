import { endpoint } from '../endpoint.js';
import {
  AcceptCandidate,
  CandidateList,
  ListCandidates,
  MemoryCandidate,
  MemoryItem,
  MemoryNumber,
  Summarize,
  Summary,
} from '../memory.js';

export const candidatesApi = {
  summarize: endpoint('POST /v1/memory/summarize', {
    scope: 'operate',
    summary: 'Have a model propose what to remember of a session; nothing is remembered by it',
    body: Summarize,
    answer: Summary,
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
