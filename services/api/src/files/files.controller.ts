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
import { FILE_MEDIA_TYPES, FileForm, FileList, FilePath } from '@aish/contracts/files';
import type { ApiTokenRow } from '@aish/database/tokens.repository';
import { rawBody, sendFile, untilGone } from '@aish/http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { CurrentToken, Needs } from '../http/needs.decorator.js';
import { FilesService } from './files.service.js';

const Id = z.uuid().toLowerCase();

/** The files of a session's workspace: passed on to the sandbox that holds it. */
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

  @Get(':form')
  @Needs('observe')
  @ApiOperation({ summary: 'One file of the workspace, or a file or folder as tar' })
  @ApiProduces(...Object.values(FILE_MEDIA_TYPES))
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
  @Needs('operate')
  @ApiOperation({ summary: 'Put one file into the workspace, or unpack a tar into a folder of it' })
  @ApiConsumes(...Object.values(FILE_MEDIA_TYPES))
  @ApiNoContentResponse()
  write(
    @CurrentToken() token: ApiTokenRow,
    @Param('id', { schema: Id }) id: string,
    @Param('form', { schema: FileForm }) form: FileForm,
    @Query({ schema: FilePath }) { path }: FilePath,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<void> {
    return this.files.write(
      token,
      id,
      path,
      { form, body: rawBody(request, FILE_MEDIA_TYPES[form]) },
      untilGone(reply),
    );
  }
}
