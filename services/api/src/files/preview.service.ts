import type { Preview } from '@aish/contracts/files';
import { AishError } from '@aish/contracts/problems';
import type { Database } from '@aish/database/client';
import { findCommand } from '@aish/database/steps.repository';
import type { Sandbox, Workspaces } from '@aish/sandbox-client';
import { decisionOf } from '../decisions/decision-of.js';
import type { HostFolders } from '../sessions/host-folders.js';

/** Tries what a person is asked about. */
export class PreviewService {
  constructor(
    private readonly db: Database,
    private readonly workspaces: Workspaces,
    private readonly sandbox: Sandbox,
    private readonly folders: HostFolders,
  ) {}

  /**
   * Tries the command of a decision on a copy of its workspace.
   * @throws AishError `not_found`, `preview_too_large`; `invalid_body` when it is about no command.
   */
  async preview(reference: string, signal: AbortSignal): Promise<Preview> {
    const decision = await decisionOf(this.db.statements, reference);
    const command = decision.actionId === null ? null : await findCommand(this.db.statements, decision.actionId);
    if (command === null) {
      const message = `Decision d-${decision.number} is about no command; only commands can be tried on a copy`;
      throw new AishError('invalid_body', message, { errors: [] });
    }
    const [preview, policy, direct] = await Promise.all([
      this.workspaces.preview(command.sessionId, command.command, signal),
      this.sandbox.networkPolicy(command.sessionId, signal),
      this.folders.direct(command.hostFolders),
    ]);
    const lacks: Preview['lacks'] = [];
    if (policy.mode !== 'none') lacks.push('network');
    if (command.hostFolders.length > 0) lacks.push('host folders');
    if (command.hosts.length > 0) lacks.push('other hosts');
    return { ...preview, lacks, direct: [...direct] };
  }
}
