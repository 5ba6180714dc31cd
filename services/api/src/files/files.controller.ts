import { Controller, Get, HttpCode, Param, Put, Query, Req, Res } from '@nestjs/common';
import {
  ApiBearerAuth,
  ApiConsumes,
  ApiNoContentResponse,
  ApiOkResponse,
  ApiOperation,
  ApiProduces,
  ApiTags,
} from '@nestjs/swagger';
import { FILE_MEDIA_TYPES, FileList, FilePath } from '@aish/contracts';
import { rawBody, sendFile, untilGone } from '@aish/http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { Needs } from '../http/needs.decorator.js';
import { FilesService } from './files.service.js';

const Id = z.uuid().toLowerCase();

@ApiTags('files')
@ApiBearerAuth()
@Controller('v1/sessions/:id/files')
export class FilesController {
  constructor(private readonly files: FilesService) {}

  @Get()
  @Needs('observe')
  @ApiOperation({ summary: 'What a folder of the session’s workspace holds' })
  @ApiOkResponse({ standardSchema: FileList })
  list(
    @Param('id', { schema: Id }) id: string,
    @Query({ schema: FilePath }) { path }: FilePath,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<FileList> {
    return this.files.list(id, path, untilGone(reply));
  }

  @Get('file')
  @Needs('observe')
  @ApiOperation({ summary: 'One file of the workspace' })
  @ApiProduces(FILE_MEDIA_TYPES.file)
  file(
    @Param('id', { schema: Id }) id: string,
    @Query({ schema: FilePath }) { path }: FilePath,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    return sendFile(reply, FILE_MEDIA_TYPES.file, this.files.read(id, path, 'file', untilGone(reply)));
  }

  @Get('archive')
  @Needs('observe')
  @ApiOperation({ summary: 'A file or folder of the workspace as tar' })
  @ApiProduces(FILE_MEDIA_TYPES.archive)
  archive(
    @Param('id', { schema: Id }) id: string,
    @Query({ schema: FilePath }) { path }: FilePath,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    return sendFile(reply, FILE_MEDIA_TYPES.archive, this.files.read(id, path, 'archive', untilGone(reply)));
  }

  @Put('file')
  @HttpCode(204)
  @Needs('operate')
  @ApiOperation({ summary: 'Put one file into the workspace' })
  @ApiConsumes(FILE_MEDIA_TYPES.file)
  @ApiNoContentResponse()
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
  @Needs('operate')
  @ApiOperation({ summary: 'Unpack a tar into a folder of the workspace' })
  @ApiConsumes(FILE_MEDIA_TYPES.archive)
  @ApiNoContentResponse()
  putArchive(
    @Param('id', { schema: Id }) id: string,
    @Query({ schema: FilePath }) { path }: FilePath,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<void> {
    return this.files.write(id, path, 'archive', rawBody(request, FILE_MEDIA_TYPES.archive), untilGone(reply));
  }
}
