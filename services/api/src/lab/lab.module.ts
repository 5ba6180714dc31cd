import { Module } from '@nestjs/common';
import { BriefController } from './brief.controller.js';
import { BriefService } from './brief.service.js';

@Module({ controllers: [BriefController], providers: [BriefService] })
export class LabModule {}
