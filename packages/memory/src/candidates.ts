import { collectAnswer, type Broker } from '@aish/broker';
import type { Preset } from '@aish/contracts/config/presets.settings';
import { invariant } from '@aish/contracts/invariant';
import type {
  AcceptCandidate,
  MemoryCandidate,
  MemoryItem,
  MemoryKind,
  MemorySource,
  Summary,
} from '@aish/contracts/memory';
import { AishError } from '@aish/contracts/problems';
import type { Database } from '@aish/database/client';
import {
  contentsSeenBefore,
  decideCandidate,
  findCandidate,
  insertCandidate,
} from '@aish/database/memory-candidates.repository';
import { applyEntryChanges } from '@aish/database/memory-items.repository';
import { addToBackground, readRecord, type RecordTurn } from '@aish/database/memory-sessions.repository';
import { inTransaction } from '@aish/database/transaction';
import { appendTurn } from '@aish/database/turns.repository';
import { ITEMS_LOCK_WAIT_MS } from './entry-writer.js';
import type { MemoryItems } from './items.js';
import { likelySecrets } from './likely-secrets.js';
import { parseCandidates } from './parse-candidates.js';
import { SUMMARIZE_INSTRUCTION, TRANSCRIPT_MAX_BYTES, evidenceOf, renderTranscript } from './transcript.js';

const SUMMARIZE_MAX_TOKENS = 1_024;

export interface Proposal {
  readonly kind: MemoryKind;
  readonly content: string;
  readonly tags: readonly string[];
  /** The session of the proposal; null if there is none. */
  readonly sessionId: string | null;
  readonly step: number | null;
  /** The author of the proposal: the name of a model or an agent. */
  readonly by: string;
}

/** Models' proposals for the memory (candidates), and their review by a person. */
export class MemoryCandidates {
  constructor(
    private readonly db: Database,
    private readonly items: MemoryItems,
  ) {}

  /**
   * Lets a model read a session and propose what is worth remembering. Nothing is remembered yet.
   *
   * @throws AishError `not_found` if the session does not exist, and errors of the broker.
   */
  async summarize(
    owner: string,
    sessionId: string,
    ask: { readonly broker: Pick<Broker, 'chat'>; readonly preset: Preset },
    signal: AbortSignal,
  ): Promise<Summary> {
    const record = await readRecord(this.db.statements, sessionId, TRANSCRIPT_MAX_BYTES);
    if (record === null) throw new AishError('not_found', `There is no session ${sessionId}`);
    const { turns, omitted } = record;
    const nothing = { candidates: [], turns: turns.length, omittedTurns: omitted, unreadable: 0, repeated: 0 };
    if (turns.length === 0) return nothing;
    const content = `${SUMMARIZE_INSTRUCTION}\n\nTranscript:\n\n${renderTranscript(turns)}`;
    const answer = await collectAnswer(
      ask.broker.chat(
        { preset: ask.preset, messages: [{ role: 'user', content }], maxTokens: SUMMARIZE_MAX_TOKENS },
        signal,
      ),
    );
    const parsed = parseCandidates(answer.text);
    const contents = parsed.candidates.map(({ content: proposed }) => proposed);
    const seen = new Set(await contentsSeenBefore(this.db.statements, owner, contents));
    const fresh = parsed.candidates.filter((candidate) => !seen.has(candidate.content));
    const by = answer.model ?? ask.preset.name;
    const rows = await Promise.all(
      fresh.map((candidate) =>
        this.examine(owner, { ...candidate, tags: [], sessionId, step: null, by }, turns, answer.model),
      ),
    );
    const candidates = await inTransaction(this.db, async (tx) => {
      await appendTurn(tx, sessionId, {
        role: 'assistant',
        provenance: 'model',
        content: answer.text,
        meta: { tag: 'summarize' },
      });
      const written: MemoryCandidate[] = [];
      for (const row of rows) written.push(await insertCandidate(tx, owner, row));
      return written;
    });
    return { ...nothing, candidates, unreadable: parsed.unreadable, repeated: parsed.candidates.length - fresh.length };
  }

  /**
   * Stores a model's proposal, which then waits for a person.
   *
   * @returns null if it already waits or was decided before.
   */
  async propose(owner: string, proposal: Proposal): Promise<MemoryCandidate | null> {
    const seen = await contentsSeenBefore(this.db.statements, owner, [proposal.content]);
    if (seen.length > 0) return null;
    const record =
      proposal.sessionId === null
        ? null
        : await readRecord(this.db.statements, proposal.sessionId, TRANSCRIPT_MAX_BYTES);
    const row = await this.examine(owner, proposal, record?.turns ?? [], null);
    return insertCandidate(this.db.statements, owner, row);
  }

  /** Collects the facts that a person should know before they decide: the provenance, and possible problems. */
  private async examine(
    owner: string,
    proposal: Proposal,
    turns: readonly RecordTurn[],
    model: string | null,
  ): Promise<Parameters<typeof insertCandidate>[2]> {
    const { kind, content, tags, sessionId, step, by } = proposal;
    const { origin, turn, excerpt } = evidenceOf(content, turns);
    const [duplicates, secrets] = await Promise.all([this.items.duplicates(owner, content), likelySecrets(content)]);
    const source: MemorySource = { sessionId, turn, step, excerpt, model };
    return {
      kind,
      content,
      tags: [...tags],
      origin,
      source,
      duplicates,
      secrets,
      proposedBy: by,
    };
  }

  /**
   * Turns a candidate into an item, optionally with other words. The item keeps the candidate's origin permanently.
   *
   * @throws AishError `not_found`, `candidate_taken`
   */
  async accept(owner: string, number: number, change: AcceptCandidate, by: string): Promise<MemoryItem> {
    const itemNumber = await inTransaction(this.db, async (tx) => {
      const candidate = await findCandidate(tx, owner, number);
      this.checkPending(candidate, number);
      const item = {
        kind: change.kind ?? candidate.kind,
        content: change.content ?? candidate.content,
        tags: change.tags ?? candidate.tags,
        origin: candidate.origin,
        source: candidate.source,
        by,
      };
      const [given] = await applyEntryChanges(tx, owner, [{ type: 'add', item }], ITEMS_LOCK_WAIT_MS);
      invariant(given !== undefined && given !== null, 'an item that is added gets a number');
      const decided = await decideCandidate(tx, owner, number, { by, itemNumber: given.number });
      // Another person was faster between the two statements, so this rolls the item back.
      if (decided === null) throw taken(number);
      if (change.sessionId !== undefined) await addToBackground(tx, change.sessionId, owner, given.number);
      return given.number;
    });
    return this.items.find(owner, itemNumber);
  }

  /** @throws AishError `not_found`, `candidate_taken` */
  async reject(owner: string, number: number, by: string): Promise<MemoryCandidate> {
    const decided = await decideCandidate(this.db.statements, owner, number, { by, itemNumber: null });
    if (decided !== null) return decided;
    this.checkPending(await findCandidate(this.db.statements, owner, number), number);
    throw taken(number);
  }

  private checkPending(candidate: MemoryCandidate | null, number: number): asserts candidate is MemoryCandidate {
    if (candidate === null) throw new AishError('not_found', `There is no candidate ${number}`);
    if (candidate.state !== 'pending') throw taken(number, candidate);
  }
}

function taken(number: number, candidate?: MemoryCandidate): AishError {
  const how = candidate === undefined ? '' : `: ${candidate.state} by ${candidate.decidedBy ?? 'someone'}`;
  return new AishError('candidate_taken', `Candidate ${number} has already been reviewed${how}`);
}
