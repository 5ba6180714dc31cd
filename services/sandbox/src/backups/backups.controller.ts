import { FILE_MEDIA_TYPES } from '@aish/contracts/files';
import { rawBody, sendFile, untilGone } from '@aish/http';
import { Controller, Get, HttpCode, Param, Put, Query, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { WorkspaceBackups } from './workspace.backups.js';

const Id = z.uuid().toLowerCase();
const Origin = z.strictObject({ origin: Id });

@Controller('v1/workspaces/:id/backup')
export class BackupsController {
  constructor(private readonly backups: WorkspaceBackups) {}

  @Get()
  read(@Param('id', { schema: Id }) id: string, @Res() reply: FastifyReply): Promise<void> {
    return sendFile(reply, FILE_MEDIA_TYPES.archive, this.backups.read(id, untilGone(reply)));
  }

  @Put()
  @HttpCode(204)
  write(
    @Param('id', { schema: Id }) id: string,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<void> {
    return this.backups.write(id, rawBody(request, FILE_MEDIA_TYPES.archive), untilGone(reply));
  }

  @Put('held/:runId')
  @HttpCode(204)
  writeHeld(
    @Param('id', { schema: Id }) id: string,
    @Param('runId', { schema: Id }) runId: string,
    @Query({ schema: Origin }) { origin }: z.infer<typeof Origin>,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<void> {
    const tar = rawBody(request, FILE_MEDIA_TYPES.archive);
    return this.backups.writeHeld(id, { runId, origin }, tar, untilGone(reply));
  }
}
