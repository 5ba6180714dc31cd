import { endpoint } from '../endpoint.js';
import { KnowledgeLintReport } from '../knowledge-lint.js';
import {
  ApplyKnowledgePlan,
  InitKnowledge,
  KnowledgeCurationReport,
  KnowledgeDoctorReport,
  KnowledgeInit,
  KnowledgeOperation,
  KnowledgePlan,
  KnowledgePushResult,
  KnowledgeStatusReport,
  KnowledgeSyncRequest,
  KnowledgeSyncResult,
} from '../knowledge-upkeep.js';
import {
  KnowledgeGraph,
  KnowledgeGraphQuery,
  KnowledgeHits,
  KnowledgeNode,
  KnowledgeQuery,
  KnowledgeWrite,
  RememberNode,
} from '../knowledge.js';
import * as z from 'zod';

export const knowledgeApi = {
  status: endpoint('GET /v1/knowledge/status', {
    scope: 'observe',
    summary: 'Show the state of the knowledge base, with a hint if it needs attention',
    answer: KnowledgeStatusReport,
  }),
  query: endpoint('GET /v1/knowledge/nodes', {
    scope: 'observe',
    summary: 'Search nodes; without a query, list all of them, newest first',
    query: KnowledgeQuery,
    answer: KnowledgeHits,
  }),
  read: endpoint('GET /v1/knowledge/nodes/:id', {
    scope: 'observe',
    summary: 'Show a node with its links and backlinks',
    params: { id: z.uuid() },
    answer: KnowledgeNode,
  }),
  remember: endpoint('POST /v1/knowledge/nodes', {
    scope: 'operate',
    summary: 'Add or change a node: fetch, lint, commit',
    body: RememberNode,
    answer: KnowledgeWrite,
  }),
  lint: endpoint('POST /v1/knowledge/lint', {
    scope: 'observe',
    summary: 'Check every node, the index and all captures',
    answer: KnowledgeLintReport,
  }),
  index: endpoint('POST /v1/knowledge/index', {
    scope: 'operate',
    summary: 'Rebuild the index files from the nodes',
    answer: KnowledgeWrite,
  }),
  sync: endpoint('POST /v1/knowledge/sync', {
    scope: 'operate',
    summary: 'Update the index in Postgres to the newest commit, or rebuild it',
    body: KnowledgeSyncRequest,
    answer: KnowledgeSyncResult,
  }),
  doctor: endpoint('GET /v1/knowledge/doctor', {
    scope: 'observe',
    summary: 'Check the knowledge base and its setup for problems',
    answer: KnowledgeDoctorReport,
  }),
  curation: endpoint('GET /v1/knowledge/curation', {
    scope: 'observe',
    summary: 'List nodes that need a person’s attention',
    answer: KnowledgeCurationReport,
  }),
  plan: endpoint('POST /v1/knowledge/plans', {
    scope: 'observe',
    summary: 'Preview a merge, split, supersede or delete',
    body: KnowledgeOperation,
    answer: KnowledgePlan,
  }),
  apply: endpoint('POST /v1/knowledge/plans/apply', {
    scope: 'decide',
    summary: 'Carry out a previewed plan in one commit; only for people',
    body: ApplyKnowledgePlan,
    answer: KnowledgeWrite,
  }),
  graph: endpoint('GET /v1/knowledge/graph', {
    scope: 'observe',
    summary: 'Export nodes and links as DOT or SVG',
    query: KnowledgeGraphQuery,
    answer: KnowledgeGraph,
  }),
  push: endpoint('POST /v1/knowledge/push', {
    scope: 'operate',
    summary: 'Push now, even after a rejected push',
    answer: KnowledgePushResult,
  }),
  init: endpoint('POST /v1/knowledge/init', {
    scope: 'admin',
    summary: 'Create or adopt the repository; repeating it changes nothing',
    body: InitKnowledge,
    answer: KnowledgeInit,
  }),
};
