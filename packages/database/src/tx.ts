/**
 * Statements, those of one transaction where a function is given it: repository functions take it first, so they cannot
 * write outside of it. Values stand in tagged templates; parts of statements are made with `sql`. 64-bit integers come as
 * bigint.
 */
export interface Tx {
  /** @returns the rows. */
  $queryRaw<T = unknown>(strings: TemplateStringsArray, ...values: readonly unknown[]): Promise<T>;
  /** @returns how many rows it touched. */
  $executeRaw(strings: TemplateStringsArray, ...values: readonly unknown[]): Promise<number>;
}
