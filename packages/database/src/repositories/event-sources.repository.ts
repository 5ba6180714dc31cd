import { AddEventRule, EventProof, type EventRule, type EventSource } from '@aish/contracts/incoming-events';
import type { EventRuleRow, EventSourceRow } from '../generated/rows.js';
import type { Tx } from '../tx.js';
import { storableJson } from './storable.js';

/** A sender as it is kept. */
export interface SealedEventSource extends EventSource {
  readonly sealed: string;
}

/** @returns false when there is one of this name. */
export async function insertEventSource(tx: Tx, source: Omit<SealedEventSource, 'createdAt'>): Promise<boolean> {
  const { name, proof, header, sealed, createdBy } = source;
  const inserted = await tx.$executeRaw`
    insert into event_sources (name, proof, header, sealed, created_by)
    values (${name}, ${proof}, ${header}, ${sealed}, ${createdBy}) on conflict (name) do nothing`;
  return inserted === 1;
}

/** Every sender, by name. */
export async function listEventSources(tx: Tx): Promise<SealedEventSource[]> {
  const rows = await tx.$queryRaw<EventSourceRow[]>`
    select name, proof, header, sealed, created_by, created_at from event_sources order by name`;
  return rows.map(sourceOf);
}

export async function findEventSource(tx: Tx, name: string): Promise<SealedEventSource | null> {
  const rows = await tx.$queryRaw<EventSourceRow[]>`
    select name, proof, header, sealed, created_by, created_at from event_sources where name = ${name}`;
  return rows[0] === undefined ? null : sourceOf(rows[0]);
}

/** Locks a sender until the transaction ends, so that its events come one after the other. @returns false: it is gone. */
export async function lockEventSource(tx: Tx, name: string): Promise<boolean> {
  return (await tx.$executeRaw`select name from event_sources where name = ${name} for update`) === 1;
}

/** Its rules and what it sent go with it; goals stay. @returns what it was; null when there was none. */
export async function deleteEventSource(tx: Tx, name: string): Promise<SealedEventSource | null> {
  const rows = await tx.$queryRaw<EventSourceRow[]>`
    delete from event_sources where name = ${name} returning name, proof, header, sealed, created_by, created_at`;
  return rows[0] === undefined ? null : sourceOf(rows[0]);
}

export async function insertEventRule(tx: Tx, id: string, rule: AddEventRule, createdBy: string): Promise<EventRule> {
  const rows = await tx.$queryRaw<EventRuleRow[]>`
    insert into event_rules (id, source, rule, created_by)
    values (${id}::uuid, ${rule.source}, ${storableJson(rule)}::jsonb, ${createdBy})
    returning id, number, rule, created_by, created_at`;
  return ruleOf(rows[0] as EventRuleRow);
}

/** The rules of a sender, or of all; oldest first, which is the order in which they are tried. */
export async function listEventRules(tx: Tx, source: string | null = null): Promise<EventRule[]> {
  const rows = await tx.$queryRaw<EventRuleRow[]>`
    select id, number, rule, created_by, created_at from event_rules
    where ${source}::text is null or source = ${source} order by number`;
  return rows.map(ruleOf);
}

/** @returns what it was; null when there was none. */
export async function deleteEventRule(tx: Tx, reference: string): Promise<EventRule | null> {
  const byId = reference.includes('-');
  const rows = await tx.$queryRaw<EventRuleRow[]>`
    delete from event_rules
    where case when ${byId} then id = ${byId ? reference : null}::uuid
               else number = ${byId ? null : Number(reference)}::int end
    returning id, number, rule, created_by, created_at`;
  return rows[0] === undefined ? null : ruleOf(rows[0]);
}

function sourceOf({ created_by: createdBy, created_at: createdAt, proof, ...row }: EventSourceRow): SealedEventSource {
  return { ...row, proof: EventProof.parse(proof), createdBy, createdAt: createdAt.toISOString() };
}

function ruleOf({ id, number, rule, created_by: createdBy, created_at: createdAt }: EventRuleRow): EventRule {
  return { ...AddEventRule.parse(rule), id, number, createdBy, createdAt: createdAt.toISOString() };
}
