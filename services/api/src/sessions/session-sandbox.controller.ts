import { Body, Controller, Get, Param, Put } from '@nestjs/common';
import { ApiBearerAuth, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { AishError } from '@aish/contracts/problems';
import { SessionSandbox, SetSessionSandbox } from '@aish/contracts/sandboxes';
import type { Database } from '@aish/database/client';
import { findSessionSandbox, setCarryOver } from '@aish/database/session-sandbox.repository';
import type { ApiTokenRow } from '@aish/database/tokens.repository';
import { z } from 'zod';
import { needMayChange } from '../decisions/may-change.js';
import { CurrentToken, Needs } from '../http/needs.decorator.js';

const Id = z.uuid().toLowerCase();

/** How the commands of a session run. */
export class SessionSandboxes {
  constructor(private readonly db: Database) {}

  /** @throws AishError `not_found` */
  async find(sessionId: string): Promise<SessionSandbox> {
    const found = await findSessionSandbox(this.db.statements, sessionId);
    if (found === null) throw new AishError('not_found', `There is no session ${sessionId}`);
    return found;
  }

  /** Holds from the next command on. @throws AishError `not_found`, `decision_waits` */
  async set(token: ApiTokenRow, sessionId: string, { carryOver }: SetSessionSandbox): Promise<SessionSandbox> {
    await needMayChange(this.db, sessionId, token);
    await setCarryOver(this.db.statements, sessionId, carryOver);
    return this.find(sessionId);
  }
}

@ApiTags('sessions')
@ApiBearerAuth()
@Controller('v1/sessions/:id/sandbox')
export class SessionSandboxController {
  constructor(private readonly sandboxes: SessionSandboxes) {}

  @Get()
  @Needs('observe')
  @ApiOperation({ summary: 'Which sandbox service holds the workspace, and whether commands carry over' })
  @ApiOkResponse({ standardSchema: SessionSandbox })
  find(@Param('id', { schema: Id }) id: string): Promise<SessionSandbox> {
    return this.sandboxes.find(id);
  }

  @Put()
  @Needs('operate')
  @ApiOperation({ summary: 'Say whether a command begins where the last one ended' })
  @ApiOkResponse({ standardSchema: SessionSandbox })
  set(
    @CurrentToken() token: ApiTokenRow,
    @Param('id', { schema: Id }) id: string,
    @Body({ schema: SetSessionSandbox }) body: SetSessionSandbox,
  ): Promise<SessionSandbox> {
    return this.sandboxes.set(token, id, body);
  }
}
