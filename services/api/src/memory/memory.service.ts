import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type {
  AcceptCandidate,
  AddMemory,
  AddedMemory,
  CandidateList,
  EditMemory,
  ForgottenMany,
  ForgottenMemory,
  ImportReport,
  ListCandidates,
  ListMemory,
  MemoryBackground,
  MemoryCaller,
  MemoryCandidate,
  MemoryCounts,
  MemoryHits,
  MemoryItem,
  MemoryList,
  MemoryHistory,
  SearchMemory,
  Summarize,
  Summary,
} from '@aish/contracts/memory';
import type { Database } from '@aish/database/client';
import { countPendingCandidates, listCandidates } from '@aish/database/memory-candidates.repository';
import { listTurns } from '@aish/database/turns.repository';
import {
  checkOwnsItems,
  exportLines,
  importFile,
  instructionsFor,
  likelySecrets,
  historyOf,
  type InjectSettings,
  type MemoryParts,
} from '@aish/memory';
import type { FastifyReply } from 'fastify';
import type { Summaries } from './summaries.js';

const DAY_MS = 86_400_000;

/** Implements the routes of the memory. */
export class MemoryService {
  constructor(
    private readonly db: Database,
    private readonly memory: MemoryParts,
    private readonly summaries: Summaries,
    private readonly settings: InjectSettings,
  ) {}

  async counts(caller: MemoryCaller): Promise<MemoryCounts> {
    checkOwnsItems(caller);
    const [active, candidates] = await Promise.all([
      this.memory.items.count(caller.owner),
      countPendingCandidates(this.db.statements, caller.owner),
    ]);
    return { active, candidates };
  }

  async list(caller: MemoryCaller, query: ListMemory): Promise<MemoryList> {
    checkOwnsItems(caller);
    return this.memory.items.list(caller.owner, query);
  }

  async add(caller: MemoryCaller, { sessionId, ...input }: AddMemory): Promise<AddedMemory> {
    checkOwnsItems(caller);
    const item = await this.memory.items.add(caller.owner, { ...input, by: caller.owner }, sessionId);
    return this.withFlags(caller.owner, item);
  }

  async edit(caller: MemoryCaller, number: number, { kind, content, tags }: EditMemory): Promise<AddedMemory> {
    checkOwnsItems(caller);
    const item = await this.memory.items.edit(caller.owner, number, {
      by: caller.owner,
      ...(kind === undefined ? {} : { kind }),
      ...(content === undefined ? {} : { content }),
      ...(tags === undefined ? {} : { tags }),
    });
    return this.withFlags(caller.owner, item);
  }

  private async withFlags(owner: string, item: MemoryItem): Promise<AddedMemory> {
    const [duplicates, secrets] = await Promise.all([
      this.memory.items.duplicates(owner, item.content, item.number),
      likelySecrets(item.content),
    ]);
    return { item, duplicates, secrets };
  }

  async show(caller: MemoryCaller, number: number): Promise<MemoryItem> {
    checkOwnsItems(caller);
    return this.memory.items.find(caller.owner, number);
  }

  async why(caller: MemoryCaller, number: number): Promise<MemoryHistory> {
    checkOwnsItems(caller);
    return historyOf(this.db, this.memory.items, caller.owner, number);
  }

  async forget(caller: MemoryCaller, number: number): Promise<ForgottenMemory> {
    checkOwnsItems(caller);
    const tombstone = await this.memory.items.forget(caller.owner, number, caller.owner);
    if (tombstone !== null) return { number, tombstone, status: `forgot item ${number}` };
    return { number, tombstone, status: `item ${number} is not active, so there is nothing to forget` };
  }

  /** @param _confirmed a person was asked and agreed; the contract allows no other value */
  async clear(caller: MemoryCaller, _confirmed: true): Promise<ForgottenMany> {
    checkOwnsItems(caller);
    return { forgotten: await this.memory.items.forgetAll(caller.owner, caller.owner) };
  }

  async prune(caller: MemoryCaller, olderThanDays: number): Promise<ForgottenMany> {
    checkOwnsItems(caller);
    const before = new Date(Date.now() - olderThanDays * DAY_MS);
    return { forgotten: await this.memory.items.forgetAll(caller.owner, caller.owner, before) };
  }

  /** Searches a person's items. An app may do so, as it may read the person's document. */
  async search(caller: MemoryCaller, { q, limit }: SearchMemory): Promise<MemoryHits> {
    return this.memory.items.lookFor(caller.owner, q, limit);
  }

  async inject(caller: MemoryCaller, sessionId: string | undefined): Promise<MemoryBackground> {
    checkOwnsItems(caller);
    const inject = this.settings;
    if (sessionId === undefined) return this.memory.items.background(caller.owner, inject, null);
    const first = (await listTurns(this.db.statements, sessionId)).find((turn) => turn.role === 'user');
    const instructions = await instructionsFor(this.memory.documents, caller);
    return this.memory.items.reload(sessionId, caller.owner, inject, first?.content ?? null, instructions);
  }

  async summarize(caller: MemoryCaller, input: Summarize, signal: AbortSignal): Promise<Summary> {
    checkOwnsItems(caller);
    return this.summaries.of(caller.owner, input.sessionId, signal, input.preset);
  }

  async candidates(caller: MemoryCaller, { state, limit }: ListCandidates): Promise<CandidateList> {
    checkOwnsItems(caller);
    return { items: await listCandidates(this.db.statements, caller.owner, state, limit) };
  }

  async accept(caller: MemoryCaller, number: number, change: AcceptCandidate): Promise<MemoryItem> {
    checkOwnsItems(caller);
    return this.memory.candidates.accept(caller.owner, number, change, caller.owner);
  }

  async reject(caller: MemoryCaller, number: number): Promise<MemoryCandidate> {
    checkOwnsItems(caller);
    return this.memory.candidates.reject(caller.owner, number, caller.owner);
  }

  async export(caller: MemoryCaller, reply: FastifyReply): Promise<void> {
    checkOwnsItems(caller);
    const lines = exportLines(this.db, caller.owner);
    async function* text(): AsyncGenerator<string> {
      for await (const line of lines) yield `${line}\n`;
    }
    reply.hijack();
    reply.raw.writeHead(200, { 'content-type': 'application/jsonl; charset=utf-8' });
    await pipeline(Readable.from(text()), reply.raw);
  }

  async import(caller: MemoryCaller, jsonl: string): Promise<ImportReport> {
    checkOwnsItems(caller);
    return importFile(this.db, caller.owner, jsonl, caller.owner);
  }
}
