import { Body, Controller, Delete, Get, Param, Post } from '@nestjs/common';
import { ApiBearerAuth, ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { ScheduleReference } from '@aish/contracts/goals';
import { CreateSchedule, Schedule, ScheduleList } from '@aish/contracts/schedules';
import type { ApiTokenRow } from '@aish/database/tokens.repository';
import { CurrentToken, Needs } from '../http/needs.decorator.js';
import { SchedulesService } from './schedules.service.js';

@ApiTags('goals')
@ApiBearerAuth()
@Controller('v1/schedules')
export class SchedulesController {
  constructor(private readonly schedules: SchedulesService) {}

  @Post()
  @Needs('operate')
  @ApiOperation({ summary: 'Give a goal again and again' })
  @ApiCreatedResponse({ standardSchema: Schedule })
  create(
    @CurrentToken() token: ApiTokenRow,
    @Body({ schema: CreateSchedule }) input: CreateSchedule,
  ): Promise<Schedule> {
    return this.schedules.create(token, input);
  }

  @Get()
  @Needs('observe')
  @ApiOperation({ summary: 'Schedules, oldest first' })
  @ApiOkResponse({ standardSchema: ScheduleList })
  async list(): Promise<ScheduleList> {
    return { items: await this.schedules.list() };
  }

  @Delete(':ref')
  @Needs('operate')
  @ApiOperation({ summary: 'End a schedule; its goals stay' })
  @ApiOkResponse({ standardSchema: Schedule })
  remove(@Param('ref', { schema: ScheduleReference }) reference: string): Promise<Schedule> {
    return this.schedules.remove(reference);
  }
}
