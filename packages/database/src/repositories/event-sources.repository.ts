import { AddEventRule, EventProof, type EventRule, type EventSource } from '@aish/contracts/incoming-events';
import type { EventRuleRow, EventSourceRow } from '../generated/rows.js';
import type { Tx } from '../tx.js';
import { storableJson } from './storable.js';

/** A sender of events, as it is stored. */
export interface SealedEventSource extends EventSource {
  readonly sealed: string;
}

/** @returns false if the name already exists. */
export async function insertEventSource(tx: Tx, source: Omit<SealedEventSource, 'createdAt'>): Promise<boolean> {
  const { name, proof, header, sealed, createdBy } = source;
  const inserted = await tx.$executeRaw`
    insert into event_sources (name, proof, header, sealed, created_by)
    values (${name}, ${proof}, ${header}, ${sealed}, ${createdBy}) on conflict (name) do nothing`;
  return inserted === 1;
}

/** Lists every sender, by name. */
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

/**
 * Locks a sender until the transaction ends, so that its events are handled one after another.
 *
 * @returns false if the sender does not exist any more.
 */
export async function lockEventSource(tx: Tx, name: string): Promise<boolean> {
  return (await tx.$executeRaw`select name from event_sources where name = ${name} for update`) === 1;
}

/**
 * Deletes a sender with its rules and events. Goals stay.
 *
 * @returns the deleted sender; null if there was none.
 */
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

/** Lists the rules of a sender, or of all senders, oldest first. Rules are tried in this order. */
export async function listEventRules(tx: Tx, source: string | null = null): Promise<EventRule[]> {
  const rows = await tx.$queryRaw<EventRuleRow[]>`
    select id, number, rule, created_by, created_at from event_rules
    where ${source}::text is null or source = ${source} order by number`;
  return rows.map(ruleOf);
}

/** @returns the deleted rule; null if there was none. */
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
