import { Injectable } from '@nestjs/common';
import { Part } from '../part.js';
import type { Preview } from '@aish/contracts/files';
import { AishError } from '@aish/contracts/problems';
import type { Database } from '@aish/database/client';
import { secretsOfSession } from '@aish/database/secrets.repository';
import { findCommand } from '@aish/database/steps.repository';
import type { Sandbox, Workspaces } from '@aish/sandbox-client';
import { decisionOf } from '../references.js';
import { HostFolders } from '../sessions/host-folders.js';

/** Previews commands that wait for a decision. */
@Injectable()
export class PreviewService {
  constructor(
    @Part('db') private readonly db: Database,
    @Part('workspaces') private readonly workspaces: Workspaces,
    @Part('sandbox') private readonly sandbox: Sandbox,
    private readonly folders: HostFolders,
  ) {}

  /**
   * Runs the command of a decision as a preview. If the preview can be stashed, a `proceed` that names it keeps its
   * result and runs nothing again. @throws AishError `not_found`, `preview_too_large`; `invalid_body` if the decision
   * is not about a command
   */
  async preview(reference: string, signal: AbortSignal): Promise<Preview> {
    const decision = await decisionOf(this.db.statements, reference);
    const command = decision.actionId === null ? null : await findCommand(this.db.statements, decision.actionId);
    if (command === null) {
      const message = `Decision d${decision.number} is not about a command; only commands have previews`;
      throw new AishError('invalid_body', message, { errors: [] });
    }
    const { sessionId, goalId, hostFolders, hosts } = command;
    const [policy, secrets, direct] = await Promise.all([
      this.sandbox.networkPolicy(sessionId, signal),
      secretsOfSession(this.db.statements, sessionId),
      this.folders.direct(hostFolders),
    ]);
    const lacks: Preview['lacks'] = [];
    if (policy.mode !== 'none') lacks.push('network');
    if (hostFolders.length > 0) lacks.push('host folders');
    if (hosts.length > 0) lacks.push('other hosts');
    if (secrets.length > 0) lacks.push('secrets');
    const keeping = decision.state === 'pending' && decision.actionId !== null ? { actionId: decision.actionId } : {};
    const request = { command: command.command, lacks, background: goalId !== null, ...keeping };
    const preview = await this.workspaces.preview(sessionId, request, signal);
    return { ...preview, lacks, direct: [...direct] };
  }
}
