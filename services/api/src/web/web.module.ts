import { Module } from '@nestjs/common';
import { SignInModule } from '../sign-in/sign-in.module.js';
import { WebAppController } from './web-app.controller.js';
import { WebPushController, WebPushService } from './web-push.controller.js';
import { WebSessionController } from './web-session.controller.js';
import { WebSessionService } from './web-session.service.js';

@Module({
  imports: [SignInModule],
  controllers: [WebSessionController, WebPushController, WebAppController],
  providers: [WebSessionService, WebPushService],
})
export class WebModule {}
