import { Body, Controller, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { ApiBearerAuth, ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { CreateGoal, Goal, GoalDetail, GoalList, ListGoals, Reference } from '@aish/contracts';
import type { ApiTokenRow } from '@aish/database';
import { CurrentToken, Needs } from '../http/needs.decorator.js';
import { GoalsService } from './goals.service.js';

@ApiTags('goals')
@ApiBearerAuth()
@Controller('v1/goals')
export class GoalsController {
  constructor(private readonly goals: GoalsService) {}

  @Post()
  @Needs('operate')
  @ApiOperation({ summary: 'Give a goal to Norris' })
  @ApiCreatedResponse({ standardSchema: Goal })
  create(@CurrentToken() token: ApiTokenRow, @Body({ schema: CreateGoal }) input: CreateGoal): Promise<Goal> {
    return this.goals.create(token.name, input);
  }

  @Get()
  @Needs('observe')
  @ApiOperation({ summary: 'Goals, newest first' })
  @ApiOkResponse({ standardSchema: GoalList })
  async list(@Query({ schema: ListGoals }) query: ListGoals): Promise<GoalList> {
    return { items: await this.goals.list(query.state, query.limit) };
  }

  @Get(':ref')
  @Needs('observe')
  @ApiOperation({ summary: 'One goal with its steps, actions and decisions' })
  @ApiOkResponse({ standardSchema: GoalDetail })
  show(@Param('ref', { schema: Reference }) reference: Reference): Promise<GoalDetail> {
    return this.goals.show(reference);
  }

  @Post(':ref/cancel')
  @HttpCode(200)
  @Needs('operate')
  @ApiOperation({ summary: 'End a goal now' })
  @ApiOkResponse({ standardSchema: Goal })
  cancel(@CurrentToken() token: ApiTokenRow, @Param('ref', { schema: Reference }) reference: Reference): Promise<Goal> {
    return this.goals.cancel(token.name, reference);
  }
}
