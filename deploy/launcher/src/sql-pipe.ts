import { createInterface } from 'node:readline';
import type { Sql } from '@aish/contracts/upgrade';
import { z } from 'zod';

const Statement = z.tuple([z.string(), z.string()]);

/** Answers each line `[database, statement]` of the input with one line, `{rows}` or `{error}`, until the input ends. */
export async function answerSql(withDatabase: (work: (sql: Sql) => Promise<void>) => Promise<void>): Promise<void> {
  await withDatabase(async (sql) => {
    for await (const line of createInterface({ input: process.stdin })) {
      const answer = await sql(...Statement.parse(JSON.parse(line))).then(
        (rows) => ({ rows }),
        (error: Error) => ({ error: error.message }),
      );
      process.stdout.write(`${JSON.stringify(answer)}\n`);
    }
  });
}
