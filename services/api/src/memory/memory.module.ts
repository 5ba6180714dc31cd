import { Module } from '@nestjs/common';
import { CandidatesController } from './candidates.controller.js';
import { DocumentsController } from './documents.controller.js';
import { MemoryController } from './memory.controller.js';
import { RecallController } from './recall.controller.js';

@Module({
  controllers: [MemoryController, RecallController, CandidatesController, DocumentsController],
})
export class MemoryModule {}
