import type { AppliedConfig, ConfigDocument } from '@aish/contracts/config-document';
import type { Person } from '../spaces/space-access.js';

/** The content of one file. */
export type FileOf<F extends keyof ConfigDocument> = NonNullable<ConfigDocument[F]>;
/** One named thing of a file. */
export type EntryOf<M> = M extends Record<string, infer V> ? V : never;

/** The data that a change needs besides the transaction. */
export interface WriteOptions {
  readonly by: Person;
  /** The values of secrets. */
  readonly secrets: Readonly<Record<string, string>>;
  /** The IDs of builds that have started, by the names of their images. Empty in a dry run. */
  readonly builds: ReadonlyMap<string, string>;
  /** Whether the transaction is rolled back at its end. Nothing outside the database then changes. */
  readonly dryRun: boolean;
}

/** The work to do after the commit, and the information for the person. */
export interface Written extends Pick<AppliedConfig, 'sources' | 'hosts'> {
  readonly afterwards: readonly (() => Promise<unknown>)[];
}

export const NOTHING_WRITTEN: Written = { sources: [], hosts: [], afterwards: [] };
