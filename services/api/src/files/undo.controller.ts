import { Controller, Get, HttpCode, Param, Post, Query, Res } from '@nestjs/common';
import { ApiBearerAuth, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { ChangeList, ListChanges } from '@aish/contracts/effects';
import { GoalSnapshotList, Preview, Undone, UndoPreview, UndoScope } from '@aish/contracts/files';
import { DecisionReference, GoalReference, SessionReference } from '@aish/contracts/goals';
import type { ApiTokenRow } from '@aish/database/tokens.repository';
import { untilGone } from '@aish/http';
import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import { CurrentToken, Needs } from '../http/needs.decorator.js';
import { PreviewService } from './preview.service.js';
import { UndoService } from './undo.service.js';

@ApiTags('undo')
@ApiBearerAuth()
@Controller('v1')
export class UndoController {
  constructor(
    private readonly previews: PreviewService,
    private readonly undos: UndoService,
  ) {}

  @Post('decisions/:ref/preview')
  @HttpCode(200)
  @Needs('decide')
  @ApiOperation({
    summary:
      'Run the command of a decision before it counts: a proceed that names it keeps that run, or it says why not',
  })
  @ApiOkResponse({ standardSchema: Preview })
  preview(
    @Param('ref', { schema: DecisionReference }) reference: string,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Preview> {
    return this.previews.preview(reference, untilGone(reply));
  }

  @Get('goals/:ref/snapshots')
  @Needs('observe')
  @ApiOperation({ summary: 'Snapshots of a goal’s workspace, newest first' })
  @ApiOkResponse({ standardSchema: GoalSnapshotList })
  list(
    @Param('ref', { schema: GoalReference }) reference: string,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<GoalSnapshotList> {
    return this.undos.ofGoal(reference, untilGone(reply));
  }

  @Get('sessions/:ref/snapshots')
  @Needs('observe')
  @ApiOperation({ summary: 'Snapshots of a session’s workspace, newest first' })
  @ApiOkResponse({ standardSchema: GoalSnapshotList })
  listOfSession(
    @Param('ref', { schema: SessionReference }) reference: string,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<GoalSnapshotList> {
    return this.undos.ofSession(reference, untilGone(reply));
  }

  @Get('actions/:id/changes')
  @Needs('observe')
  @ApiOperation({ summary: 'All that a command did to its workspace, as long as its layer is kept' })
  @ApiOkResponse({ standardSchema: ChangeList })
  changes(
    @Param('id', { schema: z.uuid().toLowerCase() }) actionId: string,
    @Query({ schema: ListChanges }) page: ListChanges,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ChangeList> {
    return this.undos.changes(actionId, page, untilGone(reply));
  }

  @Get('actions/:id/undo')
  @Needs('observe')
  @ApiOperation({ summary: 'What putting the workspace back to before an action would bring back, and lose' })
  @ApiOkResponse({ standardSchema: UndoPreview })
  foretell(
    @Param('id', { schema: z.uuid().toLowerCase() }) actionId: string,
    @Query({ schema: UndoScope }) scope: UndoScope,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<UndoPreview> {
    return this.undos.foretell(actionId, scope, untilGone(reply));
  }

  @Post('actions/:id/undo')
  @HttpCode(200)
  @Needs('operate')
  @ApiOperation({ summary: 'Put the workspace back to what it was before an action, or take back what it did alone' })
  @ApiOkResponse({ standardSchema: Undone })
  undo(
    @CurrentToken() token: ApiTokenRow,
    @Param('id', { schema: z.uuid().toLowerCase() }) actionId: string,
    @Query({ schema: UndoScope }) scope: UndoScope,
  ): Promise<Undone> {
    return this.undos.undo(token, actionId, scope);
  }
}
