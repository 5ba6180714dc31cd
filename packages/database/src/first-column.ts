import { Client } from 'pg';
import { CONNECT_TIMEOUT_MS } from './client.js';

/** Runs a statement, or several without rows, on a separate connection. Returns the first column of each row as text. */
export async function firstColumn(url: string, statement: string): Promise<readonly string[]> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: CONNECT_TIMEOUT_MS });
  client.on('error', () => undefined); // The query reports the error.
  await client.connect();
  try {
    // Several statements have an array of results.
    const results = [await client.query<[unknown]>({ text: statement, rowMode: 'array' })].flat();
    return results.flatMap(({ rows }) => rows.map(([value]) => String(value)));
  } finally {
    await client.end();
  }
}
