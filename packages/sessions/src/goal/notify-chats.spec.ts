import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import type { Database } from '@aish/database/client';
import { openSuiteDatabase } from '@aish/database/testing/suite-database';
import { notifyChats } from './notify-chats.js';

describe('notifyChats', () => {
  let db: Database;
  openSuiteDatabase((opened) => (db = opened));

  it('a chat gets one notice with the last actions and the last text of a goal without an answer', async () => {
    const [chat, session, goal] = [randomUUID(), randomUUID(), randomUUID()];
    const { pool } = db;
    await pool.query(`insert into sessions (id, kind, title) values ($1, 'chat', ''), ($2, 'goal', '')`, [
      chat,
      session,
    ]);
    await pool.query(
      `insert into goals (id, session_id, text, preset, state, reason, step_budget, chat_id, created_by, ended_at)
       values ($1, $2, 'find it', 'fast', 'aborted', 'aborted by ann', 16, $3, 'ann', now())`,
      [goal, session, chat],
    );
    await pool.query(`insert into steps (session_id, n, text) values ($1, 1, 'sda is full.')`, [session]);
    await pool.query(
      `insert into actions (id, session_id, step_number, n, kind, command, state, started_at)
       values ($1, $2, 1, 1, 'command', 'df -h', 'finished', now()), ($3, $2, 1, 2, 'command', 'rm a', 'started', now()),
         ($4, $2, 1, 3, 'command', 'rm b', 'skipped', null)`,
      [randomUUID(), session, randomUUID(), randomUUID()],
    );
    for (const _ of [1, 2]) await notifyChats(db, () => undefined);
    const { rows } = await pool.query<{ content: string }>('select content from turns where session_id = $1', [chat]);
    expect(rows.map(({ content }) => content.split('\n').slice(1))).toEqual([
      ['| aborted by ann', 'The last actions that it had run:', '| $ df -h', 'Its model wrote last:', '| sda is full.'],
    ]);
  });
});
