import {
  KnowledgeGraph,
  KnowledgeHits,
  KnowledgeNode,
  KnowledgeWrite,
  type KnowledgeGraphQuery,
  type KnowledgeQuery,
  type RememberNode,
} from '@aish/contracts/knowledge';
import {
  KnowledgeCurationReport,
  KnowledgeDoctorReport,
  KnowledgeInit,
  KnowledgePlan,
  KnowledgePushResult,
  KnowledgeStatusReport,
  KnowledgeSyncResult,
  type KnowledgeOperation,
} from '@aish/contracts/knowledge-upkeep';
import { KnowledgeLintReport } from '@aish/contracts/knowledge-lint';
import type { z } from 'zod';
import type { Transport } from './transport.js';

const BASE = '/v1/knowledge';

/** What was not said has its default. */
export type Asked<T> = { readonly [K in keyof T]?: T[K] | undefined };

/** The knowledge base over the api. */
export class KnowledgeApi {
  constructor(private readonly transport: Transport) {}

  status(signal?: AbortSignal): Promise<KnowledgeStatusReport> {
    return this.get(KnowledgeStatusReport, 'status', {}, signal);
  }

  query(query: Asked<KnowledgeQuery>, signal?: AbortSignal): Promise<KnowledgeHits> {
    return this.get(KnowledgeHits, 'nodes', query, signal);
  }

  read(id: string, signal?: AbortSignal): Promise<KnowledgeNode> {
    return this.get(KnowledgeNode, `nodes/${encodeURIComponent(id)}`, {}, signal);
  }

  remember(input: RememberNode, signal?: AbortSignal): Promise<KnowledgeWrite> {
    return this.post(KnowledgeWrite, 'nodes', input, signal);
  }

  lint(signal?: AbortSignal): Promise<KnowledgeLintReport> {
    return this.post(KnowledgeLintReport, 'lint', {}, signal);
  }

  regenerateIndex(signal?: AbortSignal): Promise<KnowledgeWrite> {
    return this.post(KnowledgeWrite, 'index', {}, signal);
  }

  sync(full: boolean, signal?: AbortSignal): Promise<KnowledgeSyncResult> {
    return this.post(KnowledgeSyncResult, 'sync', { full }, signal);
  }

  doctor(signal?: AbortSignal): Promise<KnowledgeDoctorReport> {
    return this.get(KnowledgeDoctorReport, 'doctor', {}, signal);
  }

  curate(signal?: AbortSignal): Promise<KnowledgeCurationReport> {
    return this.get(KnowledgeCurationReport, 'curation', {}, signal);
  }

  plan(operation: KnowledgeOperation, signal?: AbortSignal): Promise<KnowledgePlan> {
    return this.post(KnowledgePlan, 'plans', operation, signal);
  }

  apply(planId: string, operation: KnowledgeOperation, signal?: AbortSignal): Promise<KnowledgeWrite> {
    return this.post(KnowledgeWrite, 'plans/apply', { planId, operation }, signal);
  }

  push(signal?: AbortSignal): Promise<KnowledgePushResult> {
    return this.post(KnowledgePushResult, 'push', {}, signal);
  }

  graph(query: Asked<KnowledgeGraphQuery>, signal?: AbortSignal): Promise<KnowledgeGraph> {
    return this.get(KnowledgeGraph, 'graph', query, signal);
  }

  init(remote: string | undefined, signal?: AbortSignal): Promise<KnowledgeInit> {
    return this.post(KnowledgeInit, 'init', remote === undefined ? {} : { remote }, signal);
  }

  private get<S extends z.ZodType>(
    schema: S,
    path: string,
    query: Readonly<Record<string, string | number | undefined>>,
    signal?: AbortSignal,
  ): Promise<z.infer<S>> {
    const params = new URLSearchParams();
    for (const [name, value] of Object.entries(query)) if (value !== undefined) params.set(name, String(value));
    const search = params.size === 0 ? '' : `?${params.toString()}`;
    return this.transport.json(schema, { path: `${BASE}/${path}${search}` }, signal);
  }

  private post<S extends z.ZodType>(schema: S, path: string, body: object, signal?: AbortSignal): Promise<z.infer<S>> {
    return this.transport.json(schema, { method: 'POST', path: `${BASE}/${path}`, body }, signal);
  }
}
