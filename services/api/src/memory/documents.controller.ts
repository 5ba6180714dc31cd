import { documentsApi } from '@aish/contracts/endpoints/memory';
import { Serve, type Call } from '../http/serve.js';
import { Controller } from '@nestjs/common';
import { Compactor, MemoryDocuments } from '@aish/memory';
import { callerOf, writerOf } from './caller.js';

/** Serves the Markdown documents of the scopes. Permissions are in packages/memory, permissions.ts. */
@Controller()
export class DocumentsController {
  constructor(
    private readonly documents: MemoryDocuments,
    private readonly compactor: Compactor,
  ) {}

  @Serve(documentsApi.list)
  list({ token, query: { space } }: Call<typeof documentsApi.list>) {
    return this.documents.list(callerOf(token), space);
  }

  @Serve(documentsApi.read)
  read({ token, params: { scope }, query }: Call<typeof documentsApi.read>) {
    return this.documents.read(callerOf(token), scope, query);
  }

  @Serve(documentsApi.write)
  write({ token, params: { scope }, body: input }: Call<typeof documentsApi.write>) {
    return this.documents.write(writerOf(token), scope, input);
  }

  @Serve(documentsApi.compact)
  compact({ token, params: { scope }, body: { space }, gone }: Call<typeof documentsApi.compact>) {
    return this.compactor.compact(writerOf(token), scope, space, gone);
  }

  @Serve(documentsApi.saveSummary)
  async saveSummary({ token, params: { scope }, body: input }: Call<typeof documentsApi.saveSummary>) {
    return { path: await this.documents.saveSummary(writerOf(token), scope, input) };
  }
}
