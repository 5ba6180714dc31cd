import { endpoint } from '../endpoint.js';
import { RecallHits, RecallQuery } from '../recall.js';

export const recallApi = {
  recall: endpoint('GET /v1/recall', {
    scope: 'any token',
    summary: 'Search memory, documents, knowledge, and your past chats and goals at once, best first',
    query: RecallQuery,
    answer: RecallHits,
  }),
};
