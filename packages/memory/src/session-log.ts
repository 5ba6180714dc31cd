import { randomUUID } from 'node:crypto';
import type { MemoryCaller } from '@aish/contracts/memory';
import { DEFAULT_SPACE } from '@aish/contracts/space-name';
import type { Database } from '@aish/database/client';
import { ensureDocument, forgetSessionLogs, rewriteSessionLog } from '@aish/database/memory-documents.repository';
import {
  describeSession,
  readRecord,
  type RecordTurn,
  type SessionFacts,
} from '@aish/database/memory-sessions.repository';
import { callerNamed } from '@aish/database/tokens.repository';
import { findSecrets } from '@aish/secrets';
import { documentKey } from './document-key.js';
import { nameOf, type MemoryDocuments } from './documents.js';

const LOGS_KEPT = 50;

const RECORD_MAX_BYTES = 1024 * 1024;
const LOG_MAX_LINES = 200;
const LINE_MAX_CHARS = 300;
const LAST_WORDS_MAX_CHARS = 2_000;

/**
 * Stores the log of a session beside a document. Each session has one log, which is rewritten as the session continues.
 * The log of an app is beside the app's own document. The log of a person is beside the document of the space they work
 * in. The default space has no log.
 *
 * @returns the path of the log, or null if there is nothing to keep.
 */
export async function keepSessionLog(
  db: Database,
  documents: MemoryDocuments,
  sessionId: string,
): Promise<string | null> {
  const session = await describeSession(db.statements, sessionId);
  if (session === null || session.owner === null) return null;
  const caller = { ...(await callerNamed(db.statements, session.owner)), space: session.space };
  if (caller.app === null && session.space === DEFAULT_SPACE) return null;
  const record = await readRecord(db.statements, sessionId, RECORD_MAX_BYTES);
  if (record === null || record.turns.length === 0) return null;
  const content = await withoutSecrets(renderSessionLog(session, record.turns));
  return save(documents, caller, `run-${nameOfSession(session)}`, content);
}

function save(documents: MemoryDocuments, caller: MemoryCaller, slug: string, text: string): Promise<string> {
  const key = documentKey(caller, caller.app === null ? 'space' : 'app');
  const content = new Uint8Array(Buffer.from(text, 'utf8'));
  return documents.locked(key, async (tx) => {
    const id = await ensureDocument(tx, randomUUID(), key, nameOf(caller));
    const path = await rewriteSessionLog(tx, id, slug, content);
    if (path !== null) return path;
    const made = await documents.archive(tx, id, content, { reason: 'session', version: null, slug });
    await forgetSessionLogs(tx, id, LOGS_KEPT);
    return made;
  });
}

/** Formats the log: the question, the actions and their results, and the last answer. */
export function renderSessionLog(session: SessionFacts, turns: readonly RecordTurn[]): string {
  const lines = turns.flatMap(lineOf);
  const left = lines.length - LOG_MAX_LINES;
  const last = turns.findLast(({ role }) => role === 'assistant')?.content.trim() ?? '';
  return [
    `# ${nameOfSession(session)}: ${oneLine(session.title)}`,
    '',
    `${session.goalState ?? 'a chat'}; ${turns.length} turns; began ${session.createdAt.toISOString()}`,
    '',
    ...(left > 0 ? [`(${left} older lines are left out)`] : []),
    ...lines.slice(-LOG_MAX_LINES),
    ...(last === '' ? [] : ['', '## Last words', '', last.slice(-LAST_WORDS_MAX_CHARS)]),
    '',
  ].join('\n');
}

function nameOfSession({ kind, number }: SessionFacts): string {
  return `${kind === 'goal' ? 'g' : 'c'}${number}`;
}

/** Returns the lines of a turn. Intermediate answers of the model are omitted, because their actions are listed. */
function lineOf({ role, content }: RecordTurn): readonly string[] {
  const [first = '', second = ''] = content.split(/\r\n?|\n/);
  switch (role) {
    case 'user':
      return [`- asked: ${oneLine(content)}`];
    case 'output':
      return [`- ran: ${oneLine(first.replace(/^\[exec\] /, ''))} (${oneLine(second)})`];
    case 'tool':
      return [`- tool: ${oneLine(content)}`];
    case 'notice':
      return [`- note: ${oneLine(content)}`];
    case 'assistant':
      return [];
  }
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim().slice(0, LINE_MAX_CHARS);
}

async function withoutSecrets(text: string): Promise<string> {
  const found = await findSecrets(text);
  return found.toReversed().reduce((kept, { title, span }) => {
    return `${kept.slice(0, span[0])}[${title}]${kept.slice(span[1])}`;
  }, text);
}
