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
    summary: 'What there is, and one line when it needs somebody',
    answer: KnowledgeStatusReport,
  }),
  query: endpoint('GET /v1/knowledge/nodes', {
    scope: 'observe',
    summary: 'Search nodes; without text all of them, newest first',
    query: KnowledgeQuery,
    answer: KnowledgeHits,
  }),
  read: endpoint('GET /v1/knowledge/nodes/:id', {
    scope: 'observe',
    summary: 'One node with its links and with what leads to it',
    params: { id: z.uuid() },
    answer: KnowledgeNode,
  }),
  remember: endpoint('POST /v1/knowledge/nodes', {
    scope: 'operate',
    summary: 'Write a node, or change one: fetch, lint, commit',
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
    summary: 'Write the index files again from the nodes',
    answer: KnowledgeWrite,
  }),
  sync: endpoint('POST /v1/knowledge/sync', {
    scope: 'operate',
    summary: 'Bring the index in Postgres to the newest commit, or rebuild it',
    body: KnowledgeSyncRequest,
    answer: KnowledgeSyncResult,
  }),
  doctor: endpoint('GET /v1/knowledge/doctor', {
    scope: 'observe',
    summary: 'Look at everything that can be wrong',
    answer: KnowledgeDoctorReport,
  }),
  curation: endpoint('GET /v1/knowledge/curation', {
    scope: 'observe',
    summary: 'What a person should look at',
    answer: KnowledgeCurationReport,
  }),
  plan: endpoint('POST /v1/knowledge/plans', {
    scope: 'observe',
    summary: 'What a merge, split, supersede or delete would do; does nothing',
    body: KnowledgeOperation,
    answer: KnowledgePlan,
  }),
  apply: endpoint('POST /v1/knowledge/plans/apply', {
    scope: 'decide',
    summary: 'Do what was planned, in one commit; for people',
    body: ApplyKnowledgePlan,
    answer: KnowledgeWrite,
  }),
  graph: endpoint('GET /v1/knowledge/graph', {
    scope: 'observe',
    summary: 'Nodes and links as DOT or SVG',
    query: KnowledgeGraphQuery,
    answer: KnowledgeGraph,
  }),
  push: endpoint('POST /v1/knowledge/push', {
    scope: 'operate',
    summary: 'Push now, also after a rejection that somebody has looked at',
    answer: KnowledgePushResult,
  }),
  init: endpoint('POST /v1/knowledge/init', {
    scope: 'admin',
    summary: 'Make or adopt the repository; a second time changes nothing',
    body: InitKnowledge,
    answer: KnowledgeInit,
  }),
};
