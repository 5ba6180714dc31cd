import { Controller, Delete, HttpCode, Param, Post } from '@nestjs/common';
import { ApiBearerAuth, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Session } from '@aish/contracts/chat';
import { Goal, GoalReference, SessionReference } from '@aish/contracts/goals';
import type { ApiTokenRow } from '@aish/database/tokens.repository';
import { CurrentToken, Needs } from '../http/needs.decorator.js';
import { ArchiveService } from './archive.service.js';

@ApiTags('archive')
@ApiBearerAuth()
@Controller('v1')
export class ArchiveController {
  constructor(private readonly archives: ArchiveService) {}

  @Post('goals/:ref/archive')
  @HttpCode(200)
  @Needs('operate')
  @ApiOperation({ summary: 'Leave a goal that has ended out of the lists' })
  @ApiOkResponse({ standardSchema: Goal })
  archiveGoal(@Param('ref', { schema: GoalReference }) reference: string): Promise<Goal> {
    return this.archives.archiveGoal(reference, true);
  }

  @Post('goals/:ref/unarchive')
  @HttpCode(200)
  @Needs('operate')
  @ApiOperation({ summary: 'Have lists show a goal again' })
  @ApiOkResponse({ standardSchema: Goal })
  unarchiveGoal(@Param('ref', { schema: GoalReference }) reference: string): Promise<Goal> {
    return this.archives.archiveGoal(reference, false);
  }

  @Delete('goals/:ref')
  @HttpCode(204)
  @Needs('operate')
  @ApiOperation({ summary: 'Delete a goal that has ended, with its record and its workspace' })
  async deleteGoal(
    @CurrentToken() token: ApiTokenRow,
    @Param('ref', { schema: GoalReference }) reference: string,
  ): Promise<void> {
    await this.archives.deleteGoal(token.name, reference);
  }

  @Post('sessions/:ref/archive')
  @HttpCode(200)
  @Needs('operate')
  @ApiOperation({ summary: 'Leave a session out of the lists, and the goal it is of' })
  @ApiOkResponse({ standardSchema: Session })
  archiveSession(@Param('ref', { schema: SessionReference }) reference: string): Promise<Session> {
    return this.archives.archiveSession(reference, true);
  }

  @Post('sessions/:ref/unarchive')
  @HttpCode(200)
  @Needs('operate')
  @ApiOperation({ summary: 'Have lists show a session again' })
  @ApiOkResponse({ standardSchema: Session })
  unarchiveSession(@Param('ref', { schema: SessionReference }) reference: string): Promise<Session> {
    return this.archives.archiveSession(reference, false);
  }
}
