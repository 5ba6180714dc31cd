import { types, type QueryConfig, type QueryResult } from 'pg';
import type { Tx } from './tx.js';
import { Sql, flattened } from './sql.js';

type Row = Record<string, unknown>;

/** Whatever carries out a statement. */
export interface Executor {
  query<R extends Row>(config: QueryConfig): Promise<QueryResult<R>>;
}

/** `prepared`: kept by the server with its plan, 64-bit integers as text; `planned`: planned anew each time, as bigint. */
export type StatementKind = 'prepared' | 'planned';

const INT8_AS_BIGINT: NonNullable<QueryConfig['types']> = {
  getTypeParser: (id: Parameters<typeof types.getTypeParser>[0], format?: 'text' | 'binary') =>
    id === types.builtins.INT8 ? BigInt : types.getTypeParser(id, format),
};

/** Tagged templates as statements with parameters, carried out by a connection or a pool of them. */
export class Statements implements Tx {
  private isClosed = false;

  constructor(
    private readonly executor: Executor,
    private readonly kind: StatementKind,
  ) {}

  async $queryRaw<T = unknown>(strings: TemplateStringsArray, ...values: readonly unknown[]): Promise<T> {
    return (await this.run(this.configOf(strings, values))).rows as T;
  }

  async $executeRaw(strings: TemplateStringsArray, ...values: readonly unknown[]): Promise<number> {
    return (await this.run(this.configOf(strings, values))).rowCount ?? 0;
  }

  async $queryRawUnsafe<T = unknown>(text: string, ...values: readonly unknown[]): Promise<T> {
    return (await this.run({ text, values: [...values], types: INT8_AS_BIGINT })).rows as T;
  }

  /** Its transaction is over: whoever still works in it is refused. */
  close(): void {
    this.isClosed = true;
  }

  private run(config: QueryConfig): Promise<QueryResult<Row>> {
    if (this.isClosed) return Promise.reject(new Error('The transaction of this statement is over'));
    return this.executor.query<Row>(config);
  }

  private configOf(strings: TemplateStringsArray, values: readonly unknown[]): QueryConfig {
    if (values.some((value) => value instanceof Sql) || this.kind === 'planned') {
      const config = flattened(strings, values);
      return this.kind === 'planned' ? { ...config, types: INT8_AS_BIGINT } : config;
    }
    return { ...preparedOf(strings), values: [...values] };
  }
}

interface Prepared {
  readonly text: string;
  /** Absent where a new column would change what the statement answers: the server refuses a plan that it kept. */
  readonly name?: string;
}

const ALL_COLUMNS = /(?:\b(?:select|returning)\s+|[.,]\s*)\*/i;

/** One entry for each place in the code that writes a statement. */
const prepared = new WeakMap<TemplateStringsArray, Prepared>();
let named = 0;

function preparedOf(strings: TemplateStringsArray): Prepared {
  const known = prepared.get(strings);
  if (known !== undefined) return known;
  const { text } = flattened(strings, []);
  named += 1;
  const made = ALL_COLUMNS.test(text) ? { text } : { text, name: `aish_${named}` };
  prepared.set(strings, made);
  return made;
}
