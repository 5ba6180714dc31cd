import { Body, Controller, Delete, Get, HttpCode, Param, Patch, Post, Query, Res } from '@nestjs/common';
import { ApiBearerAuth, ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import {
  ContinueGoal,
  CreateGoal,
  EditGoal,
  ExportGoal,
  Goal,
  GoalDetail,
  GoalList,
  ListGoals,
  GoalReference,
  PauseGoal,
} from '@aish/contracts/goals';
import { Grant, GrantList } from '@aish/contracts/grants';
import type { ApiTokenRow } from '@aish/database/tokens.repository';
import { goalMarkdown } from '@aish/sessions';
import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import { CurrentToken, Needs } from '../http/needs.decorator.js';
import { GoalsService } from './goals.service.js';
import { NewGoals } from './new-goals.js';

@ApiTags('goals')
@ApiBearerAuth()
@Controller('v1/goals')
export class GoalsController {
  constructor(
    private readonly given: NewGoals,
    private readonly goals: GoalsService,
  ) {}

  @Post()
  @Needs('operate')
  @ApiOperation({ summary: 'Give a goal to Norris' })
  @ApiCreatedResponse({ standardSchema: Goal })
  create(@CurrentToken() token: ApiTokenRow, @Body({ schema: CreateGoal }) input: CreateGoal): Promise<Goal> {
    return this.given.create(token, input);
  }

  @Get()
  @Needs('observe')
  @ApiOperation({ summary: 'Goals, newest first' })
  @ApiOkResponse({ standardSchema: GoalList })
  async list(@Query({ schema: ListGoals }) query: ListGoals): Promise<GoalList> {
    return { items: await this.goals.list({ ...query, archived: query.archived === 'true' }) };
  }

  @Get(':ref')
  @Needs('observe')
  @ApiOperation({ summary: 'One goal with its steps, actions and decisions' })
  @ApiOkResponse({ standardSchema: GoalDetail })
  show(@Param('ref', { schema: GoalReference }) reference: string): Promise<GoalDetail> {
    return this.goals.show(reference);
  }

  @Post(':ref/cancel')
  @HttpCode(200)
  @Needs('operate')
  @ApiOperation({ summary: 'End a goal now' })
  @ApiOkResponse({ standardSchema: Goal })
  cancel(
    @CurrentToken() token: ApiTokenRow,
    @Param('ref', { schema: GoalReference }) reference: string,
  ): Promise<Goal> {
    return this.goals.cancel(token.name, reference);
  }

  @Post(':ref/pause')
  @HttpCode(200)
  @Needs('operate')
  @ApiOperation({ summary: 'Stop a goal where it is, until it is resumed' })
  @ApiOkResponse({ standardSchema: Goal })
  pause(
    @CurrentToken() token: ApiTokenRow,
    @Param('ref', { schema: GoalReference }) reference: string,
    @Query({ schema: PauseGoal }) { stop }: PauseGoal,
  ): Promise<Goal> {
    return this.goals.pause(token.name, reference, stop === 'true');
  }

  @Post(':ref/resume')
  @HttpCode(200)
  @Needs('operate')
  @ApiOperation({ summary: 'Let a paused goal go on' })
  @ApiOkResponse({ standardSchema: Goal })
  resume(@Param('ref', { schema: GoalReference }) reference: string): Promise<Goal> {
    return this.goals.resume(reference);
  }

  @Post(':ref/continue')
  @HttpCode(200)
  @Needs('operate')
  @ApiOperation({ summary: 'More steps for a goal that ended otherwise than done' })
  @ApiOkResponse({ standardSchema: Goal })
  continue(
    @CurrentToken() token: ApiTokenRow,
    @Param('ref', { schema: GoalReference }) reference: string,
    @Body({ schema: ContinueGoal }) input: ContinueGoal,
  ): Promise<Goal> {
    return this.goals.continue(token.name, reference, input);
  }

  @Patch(':ref')
  @Needs('operate')
  @ApiOperation({ summary: 'Change the text, the check, the priority or the trust of a goal' })
  @ApiOkResponse({ standardSchema: Goal })
  edit(
    @CurrentToken() token: ApiTokenRow,
    @Param('ref', { schema: GoalReference }) reference: string,
    @Body({ schema: EditGoal }) input: EditGoal,
  ): Promise<Goal> {
    return this.goals.edit(token, reference, input);
  }

  @Get(':ref/grants')
  @Needs('observe')
  @ApiOperation({ summary: 'What runs in this goal without being asked about again' })
  @ApiOkResponse({ standardSchema: GrantList })
  async grants(@Param('ref', { schema: GoalReference }) reference: string): Promise<GrantList> {
    return { items: await this.goals.grants(reference) };
  }

  @Delete(':ref/grants/:id')
  @Needs('decide')
  @ApiOperation({ summary: 'Take a grant back' })
  @ApiOkResponse({ standardSchema: Grant })
  revoke(
    @CurrentToken() token: ApiTokenRow,
    @Param('ref', { schema: GoalReference }) reference: string,
    @Param('id', { schema: z.uuid() }) id: string,
  ): Promise<Grant> {
    return this.goals.revoke(token.name, reference, id);
  }

  @Get(':ref/export')
  @Needs('observe')
  @ApiOperation({ summary: 'The whole story of a goal, as JSON or Markdown' })
  async export(
    @Param('ref', { schema: GoalReference }) reference: string,
    @Query({ schema: ExportGoal }) { format }: ExportGoal,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<GoalDetail | string> {
    const goal = await this.goals.show(reference);
    if (format === 'json') return goal;
    void reply.header('content-type', 'text/markdown; charset=utf-8');
    return goalMarkdown(goal);
  }
}
