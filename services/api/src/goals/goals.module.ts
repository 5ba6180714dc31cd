import { Module } from '@nestjs/common';
import { SchedulesController } from '../schedules/schedules.controller.js';
import { SchedulesService } from '../schedules/schedules.service.js';
import { GoalsController } from './goals.controller.js';
import { GoalsService } from './goals.service.js';
import { NewGoals } from './new-goals.js';

@Module({
  controllers: [GoalsController, SchedulesController],
  providers: [GoalsService, NewGoals, SchedulesService],
  exports: [GoalsService, NewGoals, SchedulesService],
})
export class GoalsModule {}
