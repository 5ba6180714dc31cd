import { Module } from '@nestjs/common';
import { DecisionPageController } from '../notifications/decision-page.controller.js';
import { ChatVerdicts } from './chat-verdicts.js';
import { DecisionsController } from './decisions.controller.js';
import { DecisionsService } from './decisions.service.js';
import { NeedGiver } from './give-need.js';

@Module({
  controllers: [DecisionsController, DecisionPageController],
  providers: [DecisionsService, ChatVerdicts, NeedGiver],
  exports: [DecisionsService],
})
export class DecisionsModule {}
