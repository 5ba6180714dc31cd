import { FILE_MEDIA_TYPES, FileForm, FilePath, type FileList } from '@aish/contracts/files';
import { rawBody, sendFile, untilGone } from '@aish/http';
import { Controller, Get, HttpCode, Param, Put, Query, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { FilesService } from './files.service.js';

const Id = z.uuid().toLowerCase();

@Controller('v1/workspaces/:id')
export class FilesController {
  constructor(private readonly files: FilesService) {}

  @Get('files')
  list(
    @Param('id', { schema: Id }) id: string,
    @Query({ schema: FilePath }) { path }: FilePath,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<FileList> {
    return this.files.list(id, path, untilGone(reply));
  }

  @Get(':form')
  read(
    @Param('id', { schema: Id }) id: string,
    @Param('form', { schema: FileForm }) form: FileForm,
    @Query({ schema: FilePath }) { path }: FilePath,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    return sendFile(reply, FILE_MEDIA_TYPES[form], this.files.read(id, path, form, untilGone(reply)));
  }

  @Put(':form')
  @HttpCode(204)
  write(
    @Param('id', { schema: Id }) id: string,
    @Param('form', { schema: FileForm }) form: FileForm,
    @Query({ schema: FilePath }) { path }: FilePath,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<void> {
    return this.files.write(id, path, form, rawBody(request, FILE_MEDIA_TYPES[form]), untilGone(reply));
  }
}
