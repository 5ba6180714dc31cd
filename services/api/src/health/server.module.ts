import { Module } from '@nestjs/common';
import { BackupController } from '../backup/backup.controller.js';
import { ConfigModule } from '../config/config.module.js';
import { DoctorController } from '../doctor/doctor.controller.js';
import { DoctorService } from '../doctor/doctor.service.js';
import { OpenApiController, OpenApiDocument } from '../http/openapi.controller.js';
import { McpModule } from '../mcp/mcp.module.js';
import { ModelsController } from '../models/models.controller.js';
import { ModelsService } from '../models/models.service.js';
import { SafetyController } from '../safety/safety.controller.js';
import { SettingsController } from '../settings/settings.controller.js';
import { HealthController } from './health.controller.js';
import { HealthService } from './health.service.js';
import { DiscoveryModule } from '@nestjs/core';

@Module({
  imports: [ConfigModule, DiscoveryModule, McpModule],
  controllers: [
    HealthController,
    DoctorController,
    SettingsController,
    OpenApiController,
    BackupController,
    ModelsController,
    SafetyController,
  ],
  providers: [HealthService, DoctorService, OpenApiDocument, ModelsService],
})
export class ServerModule {}
