import { endpoint } from '../endpoint.js';
import { KNOWLEDGE } from '../endpoint-problems.js';
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
    problems: KNOWLEDGE,
  }),
  query: endpoint('GET /v1/knowledge/nodes', {
    scope: 'observe',
    summary: 'Search nodes; without a query, list all of them, newest first',
    query: KnowledgeQuery,
    answer: KnowledgeHits,
    problems: KNOWLEDGE,
  }),
  read: endpoint('GET /v1/knowledge/nodes/:id', {
    scope: 'observe',
    summary: 'Show a node with its links and backlinks',
    params: { id: z.uuid() },
    answer: KnowledgeNode,
    problems: KNOWLEDGE,
  }),
  remember: endpoint('POST /v1/knowledge/nodes', {
    scope: 'operate',
    summary: 'Add or change a node: fetch, lint, commit',
    body: RememberNode,
    answer: KnowledgeWrite,
    problems: ['version_changed', ...KNOWLEDGE],
  }),
  lint: endpoint('POST /v1/knowledge/lint', {
    scope: 'observe',
    summary: 'Check every node, the index and all captures',
    answer: KnowledgeLintReport,
    problems: KNOWLEDGE,
  }),
  index: endpoint('POST /v1/knowledge/index', {
    scope: 'operate',
    summary: 'Rebuild the index files from the nodes',
    answer: KnowledgeWrite,
    problems: KNOWLEDGE,
  }),
  sync: endpoint('POST /v1/knowledge/sync', {
    scope: 'operate',
    summary: 'Update the index in Postgres to the newest commit, or rebuild it',
    body: KnowledgeSyncRequest,
    answer: KnowledgeSyncResult,
    problems: KNOWLEDGE,
  }),
  doctor: endpoint('GET /v1/knowledge/doctor', {
    scope: 'observe',
    summary: 'Check the knowledge base and its setup for problems',
    answer: KnowledgeDoctorReport,
    problems: KNOWLEDGE,
  }),
  curation: endpoint('GET /v1/knowledge/curation', {
    scope: 'observe',
    summary: 'List nodes that need a person’s attention',
    answer: KnowledgeCurationReport,
    problems: KNOWLEDGE,
  }),
  plan: endpoint('POST /v1/knowledge/plans', {
    scope: 'observe',
    summary: 'Preview a merge, split, supersede or delete',
    body: KnowledgeOperation,
    answer: KnowledgePlan,
    problems: ['knowledge_plan_changed', 'version_changed', ...KNOWLEDGE],
  }),
  apply: endpoint('POST /v1/knowledge/plans/apply', {
    scope: 'decide',
    summary: 'Carry out a previewed plan in one commit; only for people',
    body: ApplyKnowledgePlan,
    answer: KnowledgeWrite,
    problems: ['knowledge_plan_changed', 'version_changed', ...KNOWLEDGE],
  }),
  graph: endpoint('GET /v1/knowledge/graph', {
    scope: 'observe',
    summary: 'Export nodes and links as DOT or SVG',
    query: KnowledgeGraphQuery,
    answer: KnowledgeGraph,
    problems: KNOWLEDGE,
  }),
  push: endpoint('POST /v1/knowledge/push', {
    scope: 'operate',
    summary: 'Push now, even after a rejected push',
    answer: KnowledgePushResult,
    problems: KNOWLEDGE,
  }),
  init: endpoint('POST /v1/knowledge/init', {
    scope: 'admin',
    summary: 'Create or adopt the repository; repeating it changes nothing',
    body: InitKnowledge,
    answer: KnowledgeInit,
    problems: ['not_empty', ...KNOWLEDGE],
  }),
};
