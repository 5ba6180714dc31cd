import { AishError } from '@aish/contracts/problems';
import type { HelperEngine } from '../engine/helper.engine.js';
import { measuredOf } from '../engine/output-marks.js';
import type { Contents } from '../workspaces/workspace.store.js';
import { shellScript } from '../engine/script.js';

const SCRIPT = shellScript('measure.sh');
const TIMEOUT_MS = 60_000;
const ANSWER_MAX_BYTES = 1_024;

/**
 * Measures workspaces from a separate container that ignores file permissions. Commands can neither see nor prevent a
 * measurement.
 */
export class WorkspaceMeter {
  constructor(private readonly helpers: HelperEngine) {}

  /** @throws AishError `internal` if the measurement takes more than a minute, and errors of the engine */
  async measure(workspaceId: string): Promise<Contents> {
    const volumes = [this.helpers.workspace(workspaceId, true)];
    const task = { command: ['bash', '-c', SCRIPT], volumes, timeoutMs: TIMEOUT_MS, readsAll: true };
    const { exitCode, stdout } = await this.helpers.run(task, new AbortController().signal, ANSWER_MAX_BYTES);
    const contents = exitCode === 0 ? measuredOf(stdout.toString()) : null;
    if (contents === null) throw new AishError('internal', `Workspace ${workspaceId} could not be measured`);
    return contents;
  }
}
