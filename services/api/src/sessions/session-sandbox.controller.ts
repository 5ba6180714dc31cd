import { Injectable } from '@nestjs/common';
import { Part } from '../part.js';
import { sessionSandboxApi } from '@aish/contracts/endpoints/sessions';
import { Serve, type Call } from '../http/serve.js';
import { Controller } from '@nestjs/common';
import { AishError } from '@aish/contracts/problems';
import { SessionSandbox, SetSessionSandbox } from '@aish/contracts/sandboxes';
import type { Database } from '@aish/database/client';
import { findSessionSandbox, setCarryOver } from '@aish/database/session-sandbox.repository';
import type { ApiTokenRow } from '@aish/database/tokens.repository';
import { needMayChange } from '../decisions/may-change.js';

/** Manages the settings for how a session's commands run. */
@Injectable()
export class SessionSandboxes {
  constructor(@Part('db') private readonly db: Database) {}

  /** @throws AishError `not_found` */
  async find(sessionId: string): Promise<SessionSandbox> {
    const found = await findSessionSandbox(this.db.statements, sessionId);
    if (found === null) throw new AishError('not_found', `There is no session ${sessionId}`);
    return found;
  }

  /** Sets whether state is carried over, from the next command on. @throws AishError `not_found`, `decision_waits` */
  async set(token: ApiTokenRow, sessionId: string, { carryOver }: SetSessionSandbox): Promise<SessionSandbox> {
    await needMayChange(this.db, sessionId, token);
    await setCarryOver(this.db.statements, sessionId, carryOver);
    return this.find(sessionId);
  }
}

@Controller()
export class SessionSandboxController {
  constructor(private readonly sandboxes: SessionSandboxes) {}

  @Serve(sessionSandboxApi.find)
  find({ params: { id } }: Call<typeof sessionSandboxApi.find>) {
    return this.sandboxes.find(id);
  }

  @Serve(sessionSandboxApi.set)
  set({ token, params: { id }, body }: Call<typeof sessionSandboxApi.set>) {
    return this.sandboxes.set(token, id, body);
  }
}
