import { Module } from '@nestjs/common';
import { BriefController } from './brief.controller.js';
import { BriefScheduleService } from './brief-schedule.service.js';
import { BriefService } from './brief.service.js';

@Module({ controllers: [BriefController], providers: [BriefService, BriefScheduleService] })
export class LabModule {}
