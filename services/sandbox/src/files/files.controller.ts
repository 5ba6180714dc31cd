import { FILE_MEDIA_TYPES, FilePath, type FileList } from '@aish/contracts';
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

  @Get('file')
  file(
    @Param('id', { schema: Id }) id: string,
    @Query({ schema: FilePath }) { path }: FilePath,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    return sendFile(reply, FILE_MEDIA_TYPES.file, this.files.read(id, path, 'file', untilGone(reply)));
  }

  @Get('archive')
  archive(
    @Param('id', { schema: Id }) id: string,
    @Query({ schema: FilePath }) { path }: FilePath,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    return sendFile(reply, FILE_MEDIA_TYPES.archive, this.files.read(id, path, 'archive', untilGone(reply)));
  }

  @Put('file')
  @HttpCode(204)
  putFile(
    @Param('id', { schema: Id }) id: string,
    @Query({ schema: FilePath }) { path }: FilePath,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<void> {
    return this.files.write(id, path, 'file', rawBody(request, FILE_MEDIA_TYPES.file), untilGone(reply));
  }

  @Put('archive')
  @HttpCode(204)
  putArchive(
    @Param('id', { schema: Id }) id: string,
    @Query({ schema: FilePath }) { path }: FilePath,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<void> {
    return this.files.write(id, path, 'archive', rawBody(request, FILE_MEDIA_TYPES.archive), untilGone(reply));
  }
}
