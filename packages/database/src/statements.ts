import { types, type QueryConfig, type QueryResult } from 'pg';
import { AishError } from '@aish/contracts/problems';
import type { Tx } from './tx.js';
import { flattened } from './sql.js';

type Row = Record<string, unknown>;

/** Executes a statement: a pool, a client or a transaction. */
export interface Executor {
  query<R extends Row>(config: QueryConfig): Promise<QueryResult<R>>;
}

const INT8_AS_BIGINT: NonNullable<QueryConfig['types']> = {
  getTypeParser: (id: Parameters<typeof types.getTypeParser>[0], format?: 'text' | 'binary') =>
    id === types.builtins.INT8 ? BigInt : types.getTypeParser(id, format),
};

/** Tagged templates as statements with parameters, carried out by a connection or a pool of them. */
export class Statements implements Tx {
  private isClosed = false;

  constructor(private readonly executor: Executor) {}

  async $queryRaw<T = unknown>(strings: TemplateStringsArray, ...values: readonly unknown[]): Promise<T> {
    return (await this.run(strings, values)).rows as T;
  }

  async $executeRaw(strings: TemplateStringsArray, ...values: readonly unknown[]): Promise<number> {
    return (await this.run(strings, values)).rowCount ?? 0;
  }

  /** Its transaction is over. Later statements are refused. */
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

/** A new column would change what these answer, and the server refuses a plan that it has kept then. */
const ALL_COLUMNS = /(?:\b(?:select|returning)\s+|[.,]\s*)\*/i;

/** Names under which each connection keeps its plans; no more than there are places in the code that write a statement. */
const names = new Map<string, string | undefined>();

function nameOf(text: string): string | undefined {
  if (!names.has(text)) names.set(text, ALL_COLUMNS.test(text) ? undefined : `aish_${names.size + 1}`);
  return names.get(text);
}
