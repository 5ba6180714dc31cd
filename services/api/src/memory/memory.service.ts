import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Broker } from '@aish/broker';
import type { Background } from '@aish/chat';
import { presetNamed, type Preset } from '@aish/contracts/config/presets.settings';
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
  MemoryTrail,
  SearchMemory,
  Summarize,
  Summary,
} from '@aish/contracts/memory';
import { AishError } from '@aish/contracts/problems';
import type { ToolContext } from '@aish/contracts/tools';
import type { Database } from '@aish/database/client';
import { countPendingCandidates, listCandidates } from '@aish/database/memory-candidates.repository';
import { listTurns } from '@aish/database/turns.repository';
import {
  Compactor,
  MemoryCallers,
  MemoryCandidates,
  MemoryDocuments,
  MemoryItems,
  checkOwnsItems,
  exportLines,
  importFile,
  instructionsFor,
  Recall,
  meaningOf,
  nearNodes,
  questionsOf,
  trailOf,
  type AskKnowledge,
  type InjectSettings,
  type LoadedBackground,
  type MemoryParts,
} from '@aish/memory';
import { findSecrets } from '@aish/secrets';
import type { FastifyReply } from 'fastify';

const DAY_MS = 86_400_000;
const TOLD_KEPT = 10_000;

export interface MemorySettings {
  readonly inject: InjectSettings;
  /** Summarizes and compacts. */
  readonly preset: Preset;
}

/** What the routes of the memory do. */
export class MemoryService {
  readonly items: MemoryItems;
  readonly reviews: MemoryCandidates;
  readonly documents: MemoryDocuments;
  readonly compactor: Compactor;
  readonly callers: MemoryCallers;
  readonly recall: Recall;
  /** Finds nodes in other words; null where no model helps. */
  readonly nearNodes: ReturnType<typeof nearNodes> | null;
  private knowledge: AskKnowledge | null = null;
  /** Sessions that have been told of the memory, as far as this process knows; the oldest first. */
  private readonly told = new Set<string>();

  constructor(
    private readonly db: Database,
    private readonly broker: Broker,
    private readonly presets: readonly Preset[],
    private readonly settings: MemorySettings,
    private readonly onError: (error: unknown, what: string) => void,
  ) {
    const meaning = meaningOf(db, presets);
    this.items = new MemoryItems(db, meaning);
    this.recall = new Recall(db, this.items, meaning, async (text, limit, token, signal) => {
      if (this.knowledge === null) throw new AishError('knowledge_missing', 'There is no knowledge base yet');
      return this.knowledge(text, limit, token, signal);
    });
    // Questions alone are found by words.
    const findsNodes = meaning !== null || questionsOf(db, broker, presets) !== null;
    this.nearNodes = findsNodes ? nearNodes(db, meaning) : null;
    this.reviews = new MemoryCandidates(db, this.items);
    this.documents = new MemoryDocuments(db);
    this.callers = new MemoryCallers(db);
    this.compactor = new Compactor(db, this.documents, broker, settings.preset);
  }

  /** What the memory's tools work on. */
  get parts(): MemoryParts {
    return { items: this.items, candidates: this.reviews, documents: this.documents, recall: this.recall };
  }

  /** From now on recall searches nodes, too: the knowledge base is opened after the memory. */
  recallsNodes(knowledge: AskKnowledge): void {
    this.knowledge = knowledge;
  }

  async counts(caller: MemoryCaller): Promise<MemoryCounts> {
    checkOwnsItems(caller);
    const [active, candidates] = await Promise.all([
      this.items.count(caller.owner),
      countPendingCandidates(this.db.statements, caller.owner),
    ]);
    return { active, candidates };
  }

  async list(caller: MemoryCaller, query: ListMemory): Promise<MemoryList> {
    checkOwnsItems(caller);
    return this.items.list(caller.owner, query);
  }

  async add(caller: MemoryCaller, { sessionId, ...input }: AddMemory): Promise<AddedMemory> {
    checkOwnsItems(caller);
    const item = await this.items.add(caller.owner, { ...input, by: caller.owner }, sessionId);
    return this.withFlags(caller.owner, item);
  }

  async edit(caller: MemoryCaller, number: number, { kind, content, tags }: EditMemory): Promise<AddedMemory> {
    checkOwnsItems(caller);
    const item = await this.items.edit(caller.owner, number, {
      by: caller.owner,
      ...(kind === undefined ? {} : { kind }),
      ...(content === undefined ? {} : { content }),
      ...(tags === undefined ? {} : { tags }),
    });
    return this.withFlags(caller.owner, item);
  }

  private async withFlags(owner: string, item: MemoryItem): Promise<AddedMemory> {
    const [duplicates, secrets] = await Promise.all([
      this.items.duplicates(owner, item.content, item.number),
      findSecrets(item.content),
    ]);
    return { item, duplicates, secrets: secrets.map(({ rule, title, span }) => ({ rule, title, span: [...span] })) };
  }

  async show(caller: MemoryCaller, number: number): Promise<MemoryItem> {
    checkOwnsItems(caller);
    return this.items.find(caller.owner, number);
  }

  async why(caller: MemoryCaller, number: number): Promise<MemoryTrail> {
    checkOwnsItems(caller);
    return trailOf(this.db, this.items, caller.owner, number);
  }

  async forget(caller: MemoryCaller, number: number): Promise<ForgottenMemory> {
    checkOwnsItems(caller);
    const tombstone = await this.items.forget(caller.owner, number, caller.owner);
    if (tombstone !== null) return { number, tombstone, status: `forgot item ${number}` };
    return { number, tombstone, status: `item ${number} is not active: nothing to forget` };
  }

  /** @param _confirmed a person was asked and said yes: the contract lets no other value through. */
  async clear(caller: MemoryCaller, _confirmed: true): Promise<ForgottenMany> {
    checkOwnsItems(caller);
    return { forgotten: await this.items.forgetAll(caller.owner, caller.owner) };
  }

  async prune(caller: MemoryCaller, olderThanDays: number): Promise<ForgottenMany> {
    checkOwnsItems(caller);
    const before = new Date(Date.now() - olderThanDays * DAY_MS);
    return { forgotten: await this.items.forgetAll(caller.owner, caller.owner, before) };
  }

  /** An app may search what its person keeps, as it may read the person's document. */
  async search(caller: MemoryCaller, { q, limit }: SearchMemory): Promise<MemoryHits> {
    return this.items.lookFor(caller.owner, q, limit);
  }

  async inject(caller: MemoryCaller, sessionId: string | undefined): Promise<MemoryBackground> {
    checkOwnsItems(caller);
    const { inject } = this.settings;
    if (sessionId === undefined) return this.items.background(caller.owner, inject, null);
    const first = (await listTurns(this.db.statements, sessionId)).find((turn) => turn.role === 'user');
    const instructions = await instructionsFor(this.documents, caller);
    return this.items.reload(sessionId, caller.owner, inject, first?.content ?? null, instructions);
  }

  /**
   * What the system prompt of a chat says of the memory, or null. Asked before each request to the model; the same until
   * it is reloaded.
   */
  background(context: ToolContext, firstMessage: string | null): Background {
    const { sessionId } = context;
    // A session that is new here most likely was told nothing yet: what it will be told is not waited for twice.
    const loading = this.told.has(sessionId) ? null : this.load(context, firstMessage);
    loading?.catch(() => undefined); // heard by whoever needs it
    return async (told) => {
      const [{ owner }, inject] = await Promise.all([this.callers.of(context), this.injectOf(context)]);
      const before = told === undefined ? await this.items.told(sessionId) : told;
      const load = () => loading ?? this.load(context, firstMessage);
      const { text, kept } = await this.items.sessionBackground(sessionId, before, owner, inject, load);
      kept.catch((error: unknown) => this.onError(error, 'keep what a session is told of the memory'));
      this.markTold(sessionId);
      return text;
    };
  }

  private async load(context: ToolContext, firstMessage: string | null): Promise<LoadedBackground> {
    const [caller, inject] = await Promise.all([this.callers.inSpace(context), this.injectOf(context)]);
    const items = this.items.background(caller.owner, inject, firstMessage);
    const [instructions, background] = await Promise.all([instructionsFor(this.documents, caller), items]);
    return { background, instructions };
  }

  /** Items are put before the models of their person; an app searches when it needs them. */
  private async injectOf(context: ToolContext): Promise<InjectSettings> {
    const { app } = await this.callers.of(context);
    return app === null ? this.settings.inject : { ...this.settings.inject, mode: 'off' };
  }

  private markTold(sessionId: string): void {
    this.told.add(sessionId);
    if (this.told.size <= TOLD_KEPT) return;
    for (const oldest of this.told) return void this.told.delete(oldest);
  }

  async summarize(caller: MemoryCaller, input: Summarize, signal: AbortSignal): Promise<Summary> {
    checkOwnsItems(caller);
    const preset = input.preset === undefined ? this.settings.preset : this.presetOf(input.preset);
    return this.reviews.summarize(caller.owner, input.sessionId, { broker: this.broker, preset }, signal);
  }

  private presetOf(name: string): Preset {
    try {
      return presetNamed(this.presets, name);
    } catch (cause) {
      const message = cause instanceof AishError ? cause.message : `There is no preset ${name}`;
      throw new AishError('invalid_body', message, { errors: [{ path: 'preset', message }] }, { cause });
    }
  }

  async candidates(caller: MemoryCaller, { state, limit }: ListCandidates): Promise<CandidateList> {
    checkOwnsItems(caller);
    return { items: await listCandidates(this.db.statements, caller.owner, state, limit) };
  }

  async accept(caller: MemoryCaller, number: number, change: AcceptCandidate): Promise<MemoryItem> {
    checkOwnsItems(caller);
    return this.reviews.accept(caller.owner, number, change, caller.owner);
  }

  async reject(caller: MemoryCaller, number: number): Promise<MemoryCandidate> {
    checkOwnsItems(caller);
    return this.reviews.reject(caller.owner, number, caller.owner);
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
