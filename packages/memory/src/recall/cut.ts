import type { MemoryCaller } from '@aish/contracts/memory';
import type { Database } from '@aish/database/client';
import {
  documentsToCut,
  insertTexts,
  markDocumentCut,
  markSessionCut,
  moveTexts,
  removeTexts,
  sessionsToCut,
  textsOfDocument,
  turnsToCut,
  type DocumentToCut,
  type NewText,
  type SessionToCut,
} from '@aish/database/recall-texts.repository';
import { callerNamed } from '@aish/database/tokens.repository';
import { inTransaction } from '@aish/database/transaction';
import type { Tx } from '@aish/database/tx';
import { piecesOf } from '@aish/ranking';
import { sectionsOf, type Piece } from './pieces.js';

const SESSIONS_AT_ONCE = 20;
const TURNS_AT_ONCE = 200;
const DOCUMENTS_AT_ONCE = 20;
/** Maximum characters of a turn that are searchable. People seldom look for later text. */
const TURN_MAX_CHARS = 8_000;
const DOCUMENT_MAX_PIECES = 4_000;
const TIMEOUT_MS = 60_000;

/**
 * Splits a limited part of the new text into chunks, so that a search finds new text immediately. The worker splits the
 * rest.
 *
 * @returns the number of sessions and documents.
 */
export async function cutSome(db: Database): Promise<number> {
  const sessions = await inTransaction(db, cutSessions, { timeoutMs: TIMEOUT_MS });
  const documents = await inTransaction(db, cutDocuments, { timeoutMs: TIMEOUT_MS });
  return sessions + documents;
}

/**
 * Splits all new text into chunks.
 *
 * @returns the number of sessions and documents.
 */
export async function cutAll(db: Database, signal: AbortSignal): Promise<number> {
  let cut = 0;
  for (;;) {
    signal.throwIfAborted();
    const some = await cutSome(db);
    if (some === 0) return cut;
    cut += some;
  }
}

async function cutSessions(tx: Tx): Promise<number> {
  const sessions = await sessionsToCut(tx, SESSIONS_AT_ONCE);
  for (const session of sessions) await cutSession(tx, session);
  return sessions.length;
}

async function cutSession(tx: Tx, session: SessionToCut): Promise<void> {
  const to = Math.min(session.to, session.from + TURNS_AT_ONCE);
  const shelf = saidBy(await callerNamed(tx, session.owner));
  const turns = await turnsToCut(tx, session, to, TURN_MAX_CHARS);
  const texts = turns.flatMap(({ seq, role, content, at }) =>
    piecesOf(content).map(({ text }, part): NewText => ({
      shelf,
      sessionId: session.id,
      documentId: null,
      place: seq,
      part,
      title: '',
      content: text,
      by: role === 'user' ? session.owner : 'model',
      at,
    })),
  );
  await insertTexts(tx, texts);
  await markSessionCut(tx, session.id, to);
}

async function cutDocuments(tx: Tx): Promise<number> {
  const documents = await documentsToCut(tx, DOCUMENTS_AT_ONCE);
  for (const document of documents) await cutDocument(tx, document);
  return documents.length;
}

/** Splits a document into chunks. Unchanged text keeps its row and its vector. */
async function cutDocument(tx: Tx, { id, key, content, version, by, at }: DocumentToCut): Promise<void> {
  const old = new Map((await textsOfDocument(tx, id)).map((text) => [`${text.title}\n${text.content}`, text.id]));
  const sections = sectionsOf(Buffer.from(content).toString('utf8')).slice(0, DOCUMENT_MAX_PIECES);
  const nameOf = ({ title, text }: Piece): string => `${title}\n${text}`;
  const byName = new Map(sections.map((section) => [nameOf(section), section]));
  const kept = [...byName].flatMap(([name, { line }]) => {
    const known = old.get(name);
    return known === undefined ? [] : [{ id: known, place: line, part: 0 }];
  });
  const keptIds = new Set(kept.map((text) => text.id));
  await moveTexts(tx, kept);
  const added = [...byName].flatMap(([name, { title, line, text }]): NewText[] => {
    if (old.has(name)) return [];
    const where = { shelf: ofDocument(key), sessionId: null, documentId: id, place: line, part: 0 };
    return [{ ...where, title, content: text, by, at }];
  });
  const gone = (await textsOfDocument(tx, id)).flatMap((text) => (keptIds.has(text.id) ? [] : [text.id]));
  await removeTexts(tx, gone);
  await insertTexts(tx, added);
  await markDocumentCut(tx, id, version);
}

/** Returns the owner name for the sessions of a person or an app. */
export function saidBy({ owner, app }: MemoryCaller): string {
  return app === null ? `said/person/${owner}` : `said/app/${app.space}/${app.name}`;
}

export function ofDocument(key: string): string {
  return `document/${key}`;
}
