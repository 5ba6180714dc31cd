import { Module } from '@nestjs/common';
import { DecisionsModule } from '../decisions/decisions.module.js';
import { SessionsModule } from '../sessions/sessions.module.js';
import { MessengerBindings } from './bindings.service.js';
import { MessengerChats } from './chats.service.js';
import { MessengerPoller } from './poller.service.js';
import { MessengersController } from './messengers.controller.js';
import { MessengerReplies } from './replies.service.js';

@Module({
  imports: [DecisionsModule, SessionsModule],
  controllers: [MessengersController],
  providers: [MessengerBindings, MessengerChats, MessengerReplies, MessengerPoller],
})
export class MessengerModule {}
