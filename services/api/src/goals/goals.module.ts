import { Module } from '@nestjs/common';
import { DigestController } from '../digest/digest.controller.js';
import { Digests } from '../digest/digests.js';
import { SchedulesController } from '../schedules/schedules.controller.js';
import { SchedulesService } from '../schedules/schedules.service.js';
import { GoalsController } from './goals.controller.js';
import { GoalsService } from './goals.service.js';
import { NewGoals } from './new-goals.js';

@Module({
  controllers: [GoalsController, SchedulesController, DigestController],
  providers: [GoalsService, NewGoals, SchedulesService, Digests],
  exports: [GoalsService, NewGoals],
})
export class GoalsModule {}
