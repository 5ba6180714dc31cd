import { Module } from '@nestjs/common';
import { GoalsModule } from '../goals/goals.module.js';
import { BriefController } from './brief.controller.js';
import { BriefScheduleService } from './brief-schedule.service.js';
import { BriefWriter } from './brief-writer.js';
import { BriefService } from './brief.service.js';
import { FindingFixer } from './finding-fixer.js';
import { InventoryService } from './inventory.service.js';

@Module({
  imports: [GoalsModule],
  controllers: [BriefController],
  providers: [BriefService, BriefWriter, BriefScheduleService, FindingFixer, InventoryService],
  exports: [BriefService, BriefScheduleService],
})
export class LabModule {}
