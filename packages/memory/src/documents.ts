import { randomUUID } from 'node:crypto';
import type { MemoryCaller } from '@aish/contracts/memory';
import {
  MEMORY_DOCUMENT_MAX_BYTES,
  type DocumentArchive,
  type DocumentList,
  type DocumentReading,
  type DocumentScope,
  type ReadDocument,
  type WriteDocument,
  type WrittenDocument,
} from '@aish/contracts/memory-documents';
import { AishError } from '@aish/contracts/problems';
import { LockNamespace, lockInTransaction } from '@aish/database/advisory-lock';
import type { Database } from '@aish/database/client';
import {
  describeDocuments,
  ensureDocument,
  findDocument,
  findHeadings,
  forgetReplaced,
  insertArchive,
  listHeadings,
  readArchive,
  readDocument,
  readSlice,
  writeDocument,
  type DocumentKey,
  type DocumentRow,
} from '@aish/database/memory-documents.repository';
import { isMemoryEmpty } from '@aish/database/memory-items.repository';
import { inTransaction } from '@aish/database/transaction';
import type { Tx } from '@aish/database/tx';
import { archivePath, pathsLike } from './archive-path.js';
import { documentKey } from './document-key.js';
import { estimateTokens } from './instructions.js';
import { likelySecrets } from './likely-secrets.js';
import { countLines, findSection, outlineOf, type Section } from './outline.js';
import { checkMayRead, checkMayWrite, scopesFor } from './permissions.js';

const HEADINGS_NAMED = 50;
const TAIL_FIRST_BYTES = 16 * 1024;
/** Maximum number of archived texts that models have replaced. */
const REPLACED_KEPT = 20;
/** Milliseconds that a writer waits for other writers of its document. */
const LOCK_WAIT_MS = 15_000;
const WRITE_TIMEOUT_MS = 30_000;

/** The markdown documents by scope. Every method checks the caller's permissions. */
export class MemoryDocuments {
  constructor(
    private readonly db: Database,
    private readonly now: () => Date = () => new Date(),
  ) {}

  /**
   * Reads a document according to `query.mode`, or one of its archives by `path`. If the document does not exist, the
   * result is empty.
   *
   * @throws AishError `forbidden`; `not_found` for a missing section or archive; `invalid_body`.
   */
  async read(caller: MemoryCaller, scope: DocumentScope, query: ReadDocument): Promise<DocumentReading> {
    checkMayRead(caller, scope);
    const key = documentKey(caller, scope, query.space);
    return inTransaction(this.db, (tx) => this.readIn(tx, key, query), { isolation: 'RepeatableRead' });
  }

  private async readIn(tx: Tx, key: DocumentKey, query: ReadDocument): Promise<DocumentReading> {
    const row = await findDocument(tx, key.key);
    if (query.path !== undefined) return this.readArchive(tx, key, row, query.path);
    const reading = blank(key.scope, row);
    if (row === null || row.version === 0) return { ...reading, notes: ['Nothing is written there yet.'] };
    switch (query.mode) {
      case 'full': {
        const whole = await readDocument(tx, key.key);
        return { ...reading, text: decode(whole?.content) };
      }
      case 'headers':
        return this.readHeaders(tx, row, reading);
      case 'section':
        return this.readSection(tx, row, reading, query.section);
      case 'tail':
        return this.readTail(tx, row, reading, query.lines);
    }
  }

  private async readHeaders(tx: Tx, row: DocumentRow, reading: DocumentReading): Promise<DocumentReading> {
    const headings = (await listHeadings(tx, row.id)).map(({ line, depth, title }) => ({ line, depth, title }));
    const text = headings.map(({ line, depth, title }) => `${line}: ${'#'.repeat(depth)} ${title}`).join('\n');
    const notes = headings.length === 0 ? ['It has no headings: read its tail, or all of it.'] : [];
    return { ...reading, text, headings, notes };
  }

  private async readSection(
    tx: Tx,
    row: DocumentRow,
    reading: DocumentReading,
    name: string | undefined,
  ): Promise<DocumentReading> {
    if (name === undefined) {
      throw new AishError('invalid_body', 'mode "section" needs the name of a section', {
        errors: [{ path: 'section', message: 'is missing' }],
      });
    }
    const section = await this.findByTitle(tx, row, name);
    if (section === null) {
      const outline = await listHeadings(tx, row.id);
      const there = outline.slice(0, HEADINGS_NAMED).map(({ title }) => title);
      const headingsNote = there.length === 0 ? 'it has no headings' : `there are: ${there.join('; ')}`;
      throw new AishError('not_found', `There is no section "${name}"; ${headingsNote}`, { headings: there });
    }
    const { heading, from, to, alike, inPart } = section;
    const text = decode(await readSlice(tx, row.id, from, (to ?? row.size_bytes) - from));
    // A name with a number already says which of them is meant.
    const others = /\[\d+\]\s*$/.test(name) ? [] : alike.filter((other) => other !== heading).map(({ line }) => line);
    const notes = [
      ...(inPart ? [`"${name}" is part of this title.`] : []),
      ...(others.length === 0
        ? []
        : [`The name also fits line ${others.join(', ')}: say "Parent > ${heading.title}" or "${heading.title} [2]".`]),
    ];
    return { ...reading, text, fromLine: heading.line, notes };
  }

  /**
   * Finds a section. It looks for the exact title first, which is the most common request and needs no outline, and
   * then tries the other readings of the name.
   */
  private async findByTitle(tx: Tx, row: DocumentRow, name: string): Promise<Section | null> {
    const alike = await findHeadings(tx, row.id, name.trim());
    const [heading] = alike;
    if (heading === undefined) return findSection(await listHeadings(tx, row.id), name);
    return { heading, from: heading.offsetBytes, to: heading.to, alike, inPart: false };
  }

  /** Reads from the end, in growing slices, until there are enough lines. */
  private async readTail(tx: Tx, row: DocumentRow, reading: DocumentReading, wanted: number): Promise<DocumentReading> {
    const fromLine = Math.max(1, row.lines - wanted + 1);
    for (let size = TAIL_FIRST_BYTES; ; size *= 4) {
      const offset = Math.max(0, row.size_bytes - size);
      const slice = decode(await readSlice(tx, row.id, offset, size));
      // The first line may be incomplete. It counts only if the slice starts at the beginning.
      const lines = slice.split(/(?<=\r\n|\n|\r(?!\n))/);
      const whole = offset === 0 ? lines : lines.slice(1);
      if (offset === 0 || whole.length >= wanted) return { ...reading, text: whole.slice(-wanted).join(''), fromLine };
    }
  }

  private async readArchive(tx: Tx, key: DocumentKey, row: DocumentRow | null, path: string): Promise<DocumentReading> {
    const content = row === null ? null : await readArchive(tx, row.id, path);
    if (content === null) throw new AishError('not_found', `There is no archive ${path}`);
    const text = decode(content);
    return {
      ...blank(key.scope, row),
      text,
      sizeBytes: content.byteLength,
      lines: countLines(text),
      wholeTokens: estimateTokens(content.byteLength),
    };
  }

  /**
   * Appends text with a line for time and author, or replaces the whole document.
   *
   * @throws AishError `forbidden`; `version_changed` (facts: `version`) if `expectedVersion` is outdated;
   *   `payload_too_large`; `locked`.
   */
  async write(
    caller: MemoryCaller,
    scope: DocumentScope,
    input: Pick<WriteDocument, 'space' | 'mode' | 'content' | 'expectedVersion'>,
    /** `keepsOld` means that the replaced text is archived. Only a limited number of the newest archives is kept. */
    { keepsOld = false }: { readonly keepsOld?: boolean } = {},
  ): Promise<WrittenDocument> {
    checkMayWrite(caller, scope, input.mode);
    if (input.mode === 'append' && input.content.trim() === '') {
      throw new AishError('invalid_body', 'There is nothing to append: the text is blank', {
        errors: [{ path: 'content', message: 'is blank' }],
      });
    }
    const key = documentKey(caller, scope, input.space);
    const by = nameOf(caller);
    const written = await this.locked(key, async (tx) => {
      const old = await readDocument(tx, key.key);
      const version = old?.version ?? 0;
      if (input.expectedVersion !== undefined && input.expectedVersion !== version) {
        throw new AishError('version_changed', `The document is at version ${version}, not ${input.expectedVersion}`, {
          version,
        });
      }
      if (keepsOld && input.mode === 'replace' && old !== null && old.content.byteLength > 0) {
        const content = new Uint8Array(old.content);
        await this.archive(tx, old.id, content, { reason: 'replaced', version, slug: 'replaced' });
        await forgetReplaced(tx, old.id, REPLACED_KEPT);
      }
      const text =
        input.mode === 'replace' ? input.content : appended(decode(old?.content), input.content, this.now(), by);
      return this.put(tx, key, text, by);
    });
    return { ...written, secrets: await likelySecrets(input.content) };
  }

  /** Runs `fn` under the document's lock, in one transaction. */
  locked<T>(key: DocumentKey, fn: (tx: Tx) => Promise<T>): Promise<T> {
    return inTransaction(
      this.db,
      async (tx) => {
        await lockInTransaction(tx, LockNamespace.memoryDocument, key.key, { waitMs: LOCK_WAIT_MS });
        return fn(tx);
      },
      { timeoutMs: WRITE_TIMEOUT_MS },
    );
  }

  /**
   * Writes text and outline. The caller must hold the document's lock.
   *
   * @throws AishError `payload_too_large`
   */
  async put(tx: Tx, key: DocumentKey, text: string, by: string): Promise<Omit<WrittenDocument, 'secrets'>> {
    const content = new Uint8Array(Buffer.from(text, 'utf8'));
    if (content.byteLength > MEMORY_DOCUMENT_MAX_BYTES) {
      throw new AishError(
        'payload_too_large',
        `The document would have ${content.byteLength} bytes; at most ${MEMORY_DOCUMENT_MAX_BYTES} are allowed`,
      );
    }
    const outline = outlineOf(decode(content));
    const { version } = await writeDocument(tx, {
      id: randomUUID(),
      key,
      content,
      lines: countLines(text),
      outline,
      by,
    });
    const sizeBytes = content.byteLength;
    return { scope: key.scope, version, sizeBytes, wholeTokens: estimateTokens(sizeBytes) };
  }

  /**
   * Lists the documents that the caller may read, with their archives. A person names one space, or gets the default
   * one.
   */
  async list(caller: MemoryCaller, space?: string): Promise<DocumentList> {
    const keys = keysFor(caller, space);
    const items = await describeDocuments(this.db.statements, keys);
    return { items: items.map((item) => ({ ...item, wholeTokens: estimateTokens(item.sizeBytes) })) };
  }

  /** Whether this caller's memory is empty: no documents, and no items of its owner. */
  isMemoryEmpty(caller: MemoryCaller): Promise<boolean> {
    return isMemoryEmpty(this.db.statements, caller.owner, keysFor(caller));
  }

  /**
   * Stores the summary of a session beside a document, as an archive. This counts as an append, so it needs only that
   * permission.
   *
   * @returns the path of the archive.
   */
  async saveSummary(
    caller: MemoryCaller,
    scope: DocumentScope,
    input: { readonly space?: string | undefined; readonly content: string; readonly slug?: string | undefined },
  ): Promise<string> {
    checkMayWrite(caller, scope, 'append');
    const key = documentKey(caller, scope, input.space);
    return this.locked(key, async (tx) => {
      const id = await ensureDocument(tx, randomUUID(), key, nameOf(caller));
      const content = new Uint8Array(Buffer.from(input.content, 'utf8'));
      return this.archive(tx, id, content, { reason: 'session', version: null, slug: input.slug });
    });
  }

  /** Stores bytes under the path of this minute, or the next free one. The caller must hold the document's lock. */
  async archive(
    tx: Tx,
    documentId: string,
    content: Uint8Array<ArrayBuffer>,
    what: {
      readonly reason: DocumentArchive['reason'];
      readonly version: number | null;
      readonly slug?: string | undefined;
    },
  ): Promise<string> {
    const { reason, version } = what;
    for (const path of pathsLike(archivePath(this.now(), what.slug))) {
      if (await insertArchive(tx, { documentId, path, content, reason, version })) return path;
    }
    throw new AishError('too_many', 'Too many archives were made in this minute. Try again in a minute');
  }
}

/** Returns the name of the caller for documents and archives. */
export function nameOf(caller: MemoryCaller): string {
  return caller.app === null ? caller.owner : `app ${caller.app.name}`;
}

/** Returns the text with one more entry. A comment before the entry says when it was added and by whom. */
function appended(text: string, entry: string, at: Date, by: string): string {
  const gap = text === '' ? '' : text.endsWith('\n') ? '\n' : '\n\n';
  const source = by.replaceAll(/[^\p{L}\p{N} _.@-]|--+/gu, '');
  return `${text}${gap}<!-- ${at.toISOString()} by ${source} -->\n${entry.endsWith('\n') ? entry : `${entry}\n`}`;
}

function keysFor(caller: MemoryCaller, space?: string): readonly string[] {
  return scopesFor(caller, 'read').map((scope) => documentKey(caller, scope, space).key);
}

function blank(scope: DocumentScope, row: DocumentRow | null): DocumentReading {
  const sizeBytes = row?.size_bytes ?? 0;
  return {
    scope,
    text: '',
    version: row?.version ?? 0,
    sizeBytes,
    lines: row?.lines ?? 0,
    wholeTokens: estimateTokens(sizeBytes),
    fromLine: 1,
    notes: [],
  };
}

/** Decodes a text. A byte order mark stays, because the byte positions in the outline include it. */
function decode(content: Uint8Array | undefined): string {
  return content === undefined
    ? ''
    : Buffer.from(content.buffer, content.byteOffset, content.byteLength).toString('utf8');
}
