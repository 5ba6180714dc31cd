import { undoApi } from '@aish/contracts/endpoints/files';
import { Serve, type Call } from '../http/serve.js';
import { Controller } from '@nestjs/common';
import { PreviewService } from './preview.service.js';
import { UndoService } from './undo.service.js';

@Controller()
export class UndoController {
  constructor(
    private readonly previews: PreviewService,
    private readonly undos: UndoService,
  ) {}

  @Serve(undoApi.preview)
  preview({ params: { ref: reference }, gone }: Call<typeof undoApi.preview>) {
    return this.previews.preview(reference, gone);
  }

  @Serve(undoApi.list)
  list({ params: { ref: reference }, gone }: Call<typeof undoApi.list>) {
    return this.undos.ofGoal(reference, gone);
  }

  @Serve(undoApi.listOfSession)
  listOfSession({ params: { ref: reference }, gone }: Call<typeof undoApi.listOfSession>) {
    return this.undos.ofSession(reference, gone);
  }

  @Serve(undoApi.changes)
  changes({ params: { id: actionId }, query: page, gone }: Call<typeof undoApi.changes>) {
    return this.undos.changes(actionId, page, gone);
  }

  @Serve(undoApi.previewUndo)
  previewUndo({ params: { id: actionId }, query: scope, gone }: Call<typeof undoApi.previewUndo>) {
    return this.undos.previewUndo(actionId, scope, gone);
  }

  @Serve(undoApi.undo)
  undo({ token, params: { id: actionId }, query: scope }: Call<typeof undoApi.undo>) {
    return this.undos.undo(token, actionId, scope);
  }
}
