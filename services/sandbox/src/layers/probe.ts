import { isTemporary } from '../engine/engine-error.js';
import type { HelperEngine } from '../engine/helper.engine.js';
import { KeeperSilent } from './keeper.line.js';
import type { LayerStore } from './layer.store.js';

/** This ID belongs to no workspace of a user. */
export const TRIAL_ID = '00000000-0000-4000-8000-000000000000';
const TIMEOUT_MS = 30_000;
const ANSWER_MAX_BYTES = 1_024;

/** Creates and removes the overlay of a workspace. */
export interface TrialVolumes {
  make(workspaceId: string): Promise<string>;
  remove(workspaceId: string): Promise<boolean>;
}

/**
 * Tests whether layers work: a command deletes a file of a lower layer, and the keeper must see the deletion. Not every
 * engine mounts overlays, not every runtime shows a deletion to other containers, and not every image has the programs
 * that the keeper needs.
 * @returns the reason why layers do not work, or null if they do
 * @throws AishError `engine_unavailable`, `image_missing`, `runtime_missing`, `too_many` if that cannot be determined
 * now
 */
export async function whyNoLayers(
  helpers: HelperEngine,
  layerStore: LayerStore,
  overlays: TrialVolumes,
): Promise<string | null> {
  const id = TRIAL_ID;
  // A crash may have left a test volume behind.
  await overlays.remove(id);
  try {
    await layerStore.drop(id);
    await layerStore.plant(id, 'old');
    const volume = await overlays.make(id);
    await layerStore.mark(id, id);
    const task = {
      command: ['bash', '-c', 'rm /workspace/old && echo 1 >/workspace/new'],
      volumes: [{ volume, target: '/workspace' as const, readOnly: false }],
      timeoutMs: TIMEOUT_MS,
    };
    const { exitCode, stderr } = await helpers.run(task, new AbortController().signal, ANSWER_MAX_BYTES);
    if (exitCode !== 0) return stderr.trim() || `a command exited with code ${exitCode}`;
    const effects = await layerStore.effects(id, id);
    const isSeen = effects?.created.paths[0] === 'new' && effects.deleted.paths[0] === 'old';
    return isSeen ? null : 'what a command deletes is not to be seen from outside';
  } catch (error) {
    if (isTemporary(error) && !(error instanceof KeeperSilent)) throw error;
    return error instanceof Error ? error.message : String(error);
  } finally {
    await overlays.remove(id).catch(() => undefined);
    await layerStore.drop(id).catch(() => undefined);
  }
}
