import { Module } from '@nestjs/common';
import { FilesController } from './files.controller.js';
import { FilesService } from './files.service.js';
import { OutputController } from './output.controller.js';
import { Outputs } from './outputs.js';
import { PreviewService } from './preview.service.js';
import { UndoController } from './undo.controller.js';
import { UndoService } from './undo.service.js';

@Module({
  controllers: [FilesController, UndoController, OutputController],
  providers: [FilesService, PreviewService, UndoService, Outputs],
})
export class FilesModule {}
