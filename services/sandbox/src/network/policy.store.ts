import { existsSync, readFileSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { NetworkPolicy } from '@aish/contracts/network';
import { AishError } from '@aish/contracts/problems';
import { writeDurably } from '../storage/durable-file.js';

const NONE: NetworkPolicy = { mode: 'none' };

/**
 * Stores the network policies of workspaces, in one durable file each. A workspace without a file has the policy
 * `none`.
 */
export class PolicyStore {
  private readonly folder: string;

  constructor(stateDir: string) {
    this.folder = join(stateDir, 'policies');
  }

  /**
   * Returns the policy of a workspace. The call is synchronous, so that the policy cannot change before the caller acts
   * on it.
   * @throws AishError `internal` if the file cannot be parsed; nothing is allowed then, and no command runs
   */
  find(workspaceId: string): NetworkPolicy {
    let text: string;
    try {
      text = readFileSync(this.path(workspaceId), 'utf8');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return NONE;
      throw error;
    }
    try {
      return NetworkPolicy.parse(JSON.parse(text));
    } catch (error) {
      const message = `The network policy of workspace ${workspaceId} cannot be read. Set it again`;
      throw new AishError('internal', message, {}, { cause: error });
    }
  }

  /** Returns whether a policy was ever set. */
  has(workspaceId: string): boolean {
    return existsSync(this.path(workspaceId));
  }

  async write(workspaceId: string, policy: NetworkPolicy): Promise<void> {
    await mkdir(this.folder, { recursive: true, mode: 0o700 });
    await writeDurably(this.path(workspaceId), JSON.stringify(policy));
  }

  async forget(workspaceId: string): Promise<void> {
    await rm(this.path(workspaceId), { force: true });
  }

  private path(workspaceId: string): string {
    return join(this.folder, `${workspaceId}.json`);
  }
}
