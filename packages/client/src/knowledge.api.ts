import { knowledgeApi } from '@aish/contracts/endpoints/knowledge';
import type {
  KnowledgeGraph,
  KnowledgeGraphQuery,
  KnowledgeHits,
  KnowledgeNode,
  KnowledgeQuery,
  KnowledgeWrite,
  RememberNode,
} from '@aish/contracts/knowledge';
import type { KnowledgeLintReport } from '@aish/contracts/knowledge-lint';
import type {
  KnowledgeCurationReport,
  KnowledgeDoctorReport,
  KnowledgeInit,
  KnowledgeOperation,
  KnowledgePlan,
  KnowledgePushResult,
  KnowledgeStatusReport,
  KnowledgeSyncResult,
} from '@aish/contracts/knowledge-upkeep';
import type { Transport } from './transport.js';

/** The input of a query. A field that is undefined gets its default. */
export type Asked<T> = { readonly [K in keyof T]?: T[K] | undefined };

/** The knowledge base over the api. */
export class KnowledgeApi {
  constructor(private readonly transport: Transport) {}

  status(signal?: AbortSignal): Promise<KnowledgeStatusReport> {
    return this.transport.call(knowledgeApi.status, {}, signal);
  }

  query(query: Asked<KnowledgeQuery>, signal?: AbortSignal): Promise<KnowledgeHits> {
    return this.transport.call(knowledgeApi.query, { query }, signal);
  }

  read(id: string, signal?: AbortSignal): Promise<KnowledgeNode> {
    return this.transport.call(knowledgeApi.read, { params: { id } }, signal);
  }

  remember(body: RememberNode, signal?: AbortSignal): Promise<KnowledgeWrite> {
    return this.transport.call(knowledgeApi.remember, { body }, signal);
  }

  lint(signal?: AbortSignal): Promise<KnowledgeLintReport> {
    return this.transport.call(knowledgeApi.lint, {}, signal);
  }

  regenerateIndex(signal?: AbortSignal): Promise<KnowledgeWrite> {
    return this.transport.call(knowledgeApi.index, {}, signal);
  }

  sync(full: boolean, signal?: AbortSignal): Promise<KnowledgeSyncResult> {
    return this.transport.call(knowledgeApi.sync, { body: { full } }, signal);
  }

  doctor(signal?: AbortSignal): Promise<KnowledgeDoctorReport> {
    return this.transport.call(knowledgeApi.doctor, {}, signal);
  }

  curate(signal?: AbortSignal): Promise<KnowledgeCurationReport> {
    return this.transport.call(knowledgeApi.curation, {}, signal);
  }

  plan(body: KnowledgeOperation, signal?: AbortSignal): Promise<KnowledgePlan> {
    return this.transport.call(knowledgeApi.plan, { body }, signal);
  }

  apply(planId: string, operation: KnowledgeOperation, signal?: AbortSignal): Promise<KnowledgeWrite> {
    return this.transport.call(knowledgeApi.apply, { body: { planId, operation } }, signal);
  }

  push(signal?: AbortSignal): Promise<KnowledgePushResult> {
    return this.transport.call(knowledgeApi.push, {}, signal);
  }

  graph(query: Asked<KnowledgeGraphQuery>, signal?: AbortSignal): Promise<KnowledgeGraph> {
    return this.transport.call(knowledgeApi.graph, { query }, signal);
  }

  init(remote: string | undefined, signal?: AbortSignal): Promise<KnowledgeInit> {
    return this.transport.call(knowledgeApi.init, { body: remote === undefined ? {} : { remote } }, signal);
  }
}
