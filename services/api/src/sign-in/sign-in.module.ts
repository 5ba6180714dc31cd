import { Module } from '@nestjs/common';
import { AuditController, AuditLog } from '../audit/audit.controller.js';
import { TokensController } from '../tokens/tokens.controller.js';
import { TokensService } from '../tokens/tokens.service.js';
import { DeviceLoginController } from './device-login.controller.js';
import { DeviceLoginService } from './device-login.service.js';
import { DevicePageController } from './device-page.controller.js';
import { SignInController } from './sign-in.controller.js';
import { SignInService } from './sign-in.service.js';

@Module({
  controllers: [TokensController, AuditController, DeviceLoginController, DevicePageController, SignInController],
  providers: [TokensService, AuditLog, DeviceLoginService, SignInService],
  exports: [TokensService, DeviceLoginService, SignInService],
})
export class SignInModule {}
