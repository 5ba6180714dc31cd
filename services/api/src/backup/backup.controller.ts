import { pipeline } from 'node:stream/promises';
import { Controller, Get, HttpCode, Post, Query, Req, Res } from '@nestjs/common';
import { ApiBearerAuth, ApiConsumes, ApiOkResponse, ApiOperation, ApiProduces, ApiTags } from '@nestjs/swagger';
import { BACKUP_MEDIA_TYPE, MakeBackup, Restored } from '@aish/contracts/backup';
import type { ApiTokenRow } from '@aish/database/tokens.repository';
import { rawBody, untilGone } from '@aish/http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { CurrentToken, Needs } from '../http/needs.decorator.js';
import { BackupService } from './backup.service.js';

@ApiTags('backup')
@ApiBearerAuth()
@Controller('v1')
export class BackupController {
  constructor(private readonly backups: BackupService) {}

  @Get('backup')
  @Needs('admin')
  @ApiOperation({ summary: 'Everything that aish knows, in one file' })
  @ApiProduces(BACKUP_MEDIA_TYPE)
  async make(
    @CurrentToken() token: ApiTokenRow,
    @Query({ schema: MakeBackup }) query: MakeBackup,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const send = async (archive: NodeJS.ReadableStream, { createdAt }: { readonly createdAt: string }) => {
      const name = `aish-${createdAt.slice(0, 19).replaceAll(':', '')}.tar.gz`;
      reply.hijack();
      reply.raw.writeHead(200, {
        'content-type': BACKUP_MEDIA_TYPE,
        'content-disposition': `attachment; filename="${name}"`,
        'cache-control': 'no-store',
      });
      await pipeline(archive, reply.raw);
    };
    await this.backups.make(token.name, query, send, untilGone(reply));
  }

  @Post('restore')
  @HttpCode(200)
  @Needs('admin')
  @ApiOperation({ summary: 'Put a backup into an empty aish' })
  @ApiConsumes(BACKUP_MEDIA_TYPE)
  @ApiOkResponse({ standardSchema: Restored })
  restore(
    @CurrentToken() token: ApiTokenRow,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Restored> {
    return this.backups.restore(token, rawBody(request, BACKUP_MEDIA_TYPE), untilGone(reply));
  }
}
