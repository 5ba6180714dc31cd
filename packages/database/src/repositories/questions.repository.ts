import type { Tx } from '../tx.js';
import { storable } from './storable.js';

/** A note without generated questions. */
export interface Note {
  readonly of: 'item' | 'text';
  readonly shelf: string;
  readonly key: number;
  readonly content: string;
}

/**
 * Lists items, nodes and sections of documents without questions, newest first. Sessions have too much text to ask
 * about.
 */
export function notesWithoutQuestions(tx: Tx, limit: number): Promise<Note[]> {
  return tx.$queryRaw`
    (select 'item' as of, owner as shelf, number as key, content, at from memory_entries
     where target is null and forgotten_by is null and questions is null order by at desc limit ${limit}::int)
    union all
    (select 'text' as of, shelf, id as key, concat_ws(E'\n', nullif(title, ''), content) as content, at from recall_texts
     where session_id is null and questions is null order by at desc limit ${limit}::int)
    order by at desc limit ${limit}::int`;
}

/** Stores the questions of a note. They change its meaning, so its vector is computed again. */
export async function putQuestions(tx: Tx, { of, shelf, key }: Note, questions: string): Promise<void> {
  const text = storable(questions);
  if (of === 'item') {
    await tx.$executeRaw`
      with made as (update memory_entries set questions = ${text} where owner = ${shelf} and number = ${key}::int)
      delete from memory_vectors where owner = ${shelf} and number = ${key}::int and ${text} <> ''`;
    return;
  }
  await tx.$executeRaw`
    with made as (update recall_texts set questions = ${text} where id = ${key}::int)
    delete from recall_vectors where text_id = ${key}::int and ${text} <> ''`;
}
