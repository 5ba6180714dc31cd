import { Module } from '@nestjs/common';
import { EventsModule } from '../events/events.module.js';
import { GoalsModule } from '../goals/goals.module.js';
import { LabModule } from '../lab/lab.module.js';
import { SpacesModule } from '../spaces/spaces.module.js';
import { AccessWriter } from './access.writer.js';
import { AutomationWriter } from './automation.writer.js';
import { ConfigController } from './config.controller.js';
import { ConfigService } from './config.service.js';
import { ConfigWriter } from './config-writer.js';

@Module({
  imports: [SpacesModule, EventsModule, GoalsModule, LabModule],
  controllers: [ConfigController],
  providers: [ConfigService, ConfigWriter, AccessWriter, AutomationWriter],
  exports: [ConfigService],
})
export class ConfigModule {}
