import { Module } from '@nestjs/common';
import { RunbookProposalsController } from '../runbooks/proposals.controller.js';
import { RunbooksController } from '../runbooks/runbooks.controller.js';
import { RunbooksService } from '../runbooks/runbooks.service.js';
import { KnowledgeController } from './knowledge.controller.js';

@Module({
  controllers: [KnowledgeController, RunbooksController, RunbookProposalsController],
  providers: [RunbooksService],
})
export class KnowledgeModule {}
