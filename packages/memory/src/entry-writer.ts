import { setImmediate as othersTurn } from 'node:timers/promises';
import type { Database } from '@aish/database/client';
import { applyEntryChanges, type EntryChange, type EntryGiven } from '@aish/database/memory-items.repository';
import type { Tx } from '@aish/database/tx';

interface Waiting {
  readonly change: EntryChange;
  readonly resolve: (given: EntryGiven) => void;
  readonly reject: (error: unknown) => void;
}

/** Milliseconds that a writer waits for other writers of its owner. */
export const ITEMS_LOCK_WAIT_MS = 10_000;
const BATCH_MAX = 256;

/**
 * Carries out changes of many callers. While a statement of an owner runs, further changes of that owner wait and then
 * go into the next statement together. So they wait only once for the owner's lock and the disk.
 */
export class EntryWriter {
  private readonly waiting = new Map<string, Waiting[]>();

  private readonly statements: Tx;

  constructor(db: Pick<Database, 'statements'>) {
    this.statements = db.statements;
  }

  /**
   * Resolves when the change is committed.
   *
   * @throws AishError `locked`, and errors of the database.
   */
  apply(owner: string, change: EntryChange): Promise<EntryGiven> {
    return new Promise((resolve, reject) => {
      const queue = this.waiting.get(owner);
      if (queue !== undefined) queue.push({ change, resolve, reject });
      else {
        this.waiting.set(owner, [{ change, resolve, reject }]);
        void this.drain(owner);
      }
    });
  }

  private async drain(owner: string): Promise<void> {
    for (;;) {
      const queue = this.waiting.get(owner) ?? [];
      const batch = queue.splice(0, BATCH_MAX);
      if (batch.length === 0) {
        this.waiting.delete(owner);
        return;
      }
      try {
        const changes = batch.map(({ change }) => change);
        const given = await applyEntryChanges(this.statements, owner, changes, ITEMS_LOCK_WAIT_MS);
        batch.forEach(({ resolve }, n) => resolve(given[n] ?? null));
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
      // A caller that writes again immediately should share the next statement with the others.
      await othersTurn();
    }
  }
}
