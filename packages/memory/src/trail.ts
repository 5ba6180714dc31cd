import type { MemoryEvent, MemoryItem, MemoryHistory } from '@aish/contracts/memory';
import type { Database } from '@aish/database/client';
import { candidateOfItem } from '@aish/database/memory-candidates.repository';
import { findEntry, replacementOf } from '@aish/database/memory-items.repository';
import type { MemoryItems } from './items.js';

const EDITS_FOLLOWED = 50;

const SAID_WHAT: Readonly<Record<'person' | 'output', string>> = {
  person: 'a person said it',
  output: 'a command or tool printed it, or the model made it up: no person said it',
};

/**
 * Returns the history of an item, step by step, oldest first.
 *
 * @throws AishError `not_found`
 */
export async function historyOf(
  db: Database,
  items: MemoryItems,
  owner: string,
  number: number,
): Promise<MemoryHistory> {
  const item = await items.find(owner, number);
  const chain = [item];
  for (let first = item; first.replaces !== null && chain.length < EDITS_FOLLOWED;) {
    first = await items.find(owner, first.replaces);
    chain.unshift(first);
  }
  const events: MemoryEvent[] = [];
  for (const [at, each] of chain.entries()) {
    events.push(...(at === 0 ? await beginning(db, owner, each) : [edited(each)]));
  }
  if (item.forgottenBy !== null) events.push(...(await end(db, owner, item)));
  return { item, events };
}

async function beginning(db: Database, owner: string, item: MemoryItem): Promise<MemoryEvent[]> {
  const { at, by, source } = item;
  if (item.origin === 'imported') return [{ at, what: 'imported', by, detail: 'from a memory.jsonl' }];
  const session = source?.sessionId ?? null;
  if (item.origin === 'typed') {
    return [{ at, what: 'typed', by, detail: session === null ? 'typed by a person' : `typed in session ${session}` }];
  }
  const candidate = await candidateOfItem(db.statements, owner, item.number);
  const events: MemoryEvent[] = [];
  const proposedAt = candidate?.at ?? at;
  if (session !== null && source !== null && source.turn !== null) {
    const quote = source.excerpt === null ? '' : `: ${source.excerpt}`;
    const what = item.origin === 'person' ? ('said' as const) : ('printed' as const);
    events.push({ at: proposedAt, what, by: `session ${session}`, detail: `turn ${source.turn}${quote}` });
  }
  const proposer = candidate?.proposedBy ?? source?.model ?? 'a model';
  events.push({ at: proposedAt, what: 'proposed', by: proposer, detail: SAID_WHAT[item.origin] });
  const words = candidate === null || candidate.content === item.content ? 'as proposed' : 'in other words';
  events.push({
    at,
    what: 'accepted',
    by,
    detail: candidate === null ? words : `${words}, candidate ${candidate.number}`,
  });
  return events;
}

function edited(item: MemoryItem): MemoryEvent {
  return { at: item.at, what: 'edited', by: item.by, detail: `item ${item.number} replaced item ${item.replaces}` };
}

async function end(db: Database, owner: string, item: MemoryItem): Promise<MemoryEvent[]> {
  const tombstone = item.forgottenBy === null ? null : await findEntry(db.statements, owner, item.forgottenBy);
  if (tombstone === null) return [];
  const heir = await replacementOf(db.statements, owner, item.number);
  const detail = `tombstone ${tombstone.number}${heir === null ? '' : `; item ${heir} replaced it`}`;
  return [{ at: tombstone.at.toISOString(), what: 'forgotten', by: tombstone.by, detail }];
}
