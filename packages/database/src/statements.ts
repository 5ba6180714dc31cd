import { types, type QueryConfig, type QueryResult } from 'pg';
import { AishError } from '@aish/contracts/problems';
import type { Tx } from './tx.js';
import { flattened } from './sql.js';

type Row = Record<string, unknown>;

/** Executes statements: a pool, a client or a transaction. */
export interface Executor {
  query<R extends Row>(config: QueryConfig): Promise<QueryResult<R>>;
}

const INT8_AS_BIGINT: NonNullable<QueryConfig['types']> = {
  getTypeParser: (id: Parameters<typeof types.getTypeParser>[0], format?: 'text' | 'binary') =>
    id === types.builtins.INT8 ? BigInt : types.getTypeParser(id, format),
};

/** Runs tagged templates as statements with parameters, on a connection or a pool. */
export class Statements implements Tx {
  private isClosed = false;

  constructor(private readonly executor: Executor) {}

  async $queryRaw<T = unknown>(strings: TemplateStringsArray, ...values: readonly unknown[]): Promise<T> {
    return (await this.run(strings, values)).rows as T;
  }

  async $executeRaw(strings: TemplateStringsArray, ...values: readonly unknown[]): Promise<number> {
    return (await this.run(strings, values)).rowCount ?? 0;
  }

  /** Refuses later statements, because the transaction is over. */
  close(): void {
    this.isClosed = true;
  }

  private run(strings: TemplateStringsArray, values: readonly unknown[]): Promise<QueryResult<Row>> {
    if (this.isClosed) return Promise.reject(new AishError('internal', 'The transaction of this statement is over'));
    const { text, values: given, isFixed } = flattened(strings, values);
    const name = isFixed ? nameOf(text) : undefined;
    const config = { text, values: given, types: INT8_AS_BIGINT };
    return this.executor.query<Row>(name === undefined ? config : { ...config, name });
  }
}

/**
 * Matches statements that read all columns. A new column would change their result, and the server would refuse the
 * cached plan.
 */
const ALL_COLUMNS = /(?:\b(?:select|returning)\s+|[.,]\s*)\*/i;

/** Names of the cached plans on each connection. There are at most as many as statements in the code. */
const names = new Map<string, string | undefined>();

function nameOf(text: string): string | undefined {
  if (!names.has(text)) names.set(text, ALL_COLUMNS.test(text) ? undefined : `aish_${names.size + 1}`);
  return names.get(text);
}
