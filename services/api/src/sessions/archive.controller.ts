import { archiveApi } from '@aish/contracts/endpoints/sessions';
import { Serve, type Call } from '../http/serve.js';
import { Controller } from '@nestjs/common';
import { ArchiveService } from './archive.service.js';

@Controller()
export class ArchiveController {
  constructor(private readonly archives: ArchiveService) {}

  @Serve(archiveApi.archiveGoal)
  archiveGoal({ params: { ref: reference } }: Call<typeof archiveApi.archiveGoal>) {
    return this.archives.archiveGoal(reference, true);
  }

  @Serve(archiveApi.unarchiveGoal)
  unarchiveGoal({ params: { ref: reference } }: Call<typeof archiveApi.unarchiveGoal>) {
    return this.archives.archiveGoal(reference, false);
  }

  @Serve(archiveApi.deleteGoal)
  async deleteGoal({ token, params: { ref: reference } }: Call<typeof archiveApi.deleteGoal>) {
    await this.archives.deleteGoal(token.name, reference);
  }

  @Serve(archiveApi.archiveSession)
  archiveSession({ params: { ref: reference } }: Call<typeof archiveApi.archiveSession>) {
    return this.archives.archiveSession(reference, true);
  }

  @Serve(archiveApi.unarchiveSession)
  unarchiveSession({ params: { ref: reference } }: Call<typeof archiveApi.unarchiveSession>) {
    return this.archives.archiveSession(reference, false);
  }
}
