import { filesApi } from '@aish/contracts/endpoints/files';
import { Serve, ServeRaw, type Call } from '../http/serve.js';
import { Controller } from '@nestjs/common';
import { FILE_MEDIA_TYPES } from '@aish/contracts/files';
import { rawBody, sendFile, untilGone } from '@aish/http';
import type { FastifyReply } from 'fastify';
import { FilesService } from './files.service.js';

/** Passes files of a session's workspace through to the sandbox that has the workspace. */
@Controller()
export class FilesController {
  constructor(private readonly files: FilesService) {}

  @Serve(filesApi.list)
  list({ params: { id }, query: { path }, gone }: Call<typeof filesApi.list>) {
    return this.files.list(id, path, gone);
  }

  @ServeRaw(filesApi.read)
  read({ params: { id, form }, query: { path } }: Call<typeof filesApi.read>, reply: FastifyReply): Promise<void> {
    return sendFile(reply, FILE_MEDIA_TYPES[form], this.files.read(id, path, form, untilGone(reply)));
  }

  @Serve(filesApi.write)
  write({ token, params: { id, form }, query: { path }, request, gone }: Call<typeof filesApi.write>) {
    return this.files.write(token, id, path, { form, body: rawBody(request, FILE_MEDIA_TYPES[form]) }, gone);
  }
}
