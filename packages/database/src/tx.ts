/**
 * Runs statements, in one transaction if the object comes from one. Repository functions take it as their first
 * argument, so they cannot write outside of the transaction. Values are passed in tagged templates. Parts of statements
 * are made with `sql`. 64-bit integers are bigint.
 */
export interface Tx {
  /** @returns the rows. */
  $queryRaw<T = unknown>(strings: TemplateStringsArray, ...values: readonly unknown[]): Promise<T>;
  /** @returns the number of affected rows. */
  $executeRaw(strings: TemplateStringsArray, ...values: readonly unknown[]): Promise<number>;
}
