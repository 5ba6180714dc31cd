import { backupApi } from '@aish/contracts/endpoints/server';
import { Serve, ServeRaw, type Call } from '../http/serve.js';
import { pipeline } from 'node:stream/promises';
import { Controller } from '@nestjs/common';
import { BACKUP_MEDIA_TYPE } from '@aish/contracts/backup';
import { rawBody, untilGone } from '@aish/http';
import type { FastifyReply } from 'fastify';
import { BackupService } from './backup.service.js';

@Controller()
export class BackupController {
  constructor(private readonly backups: BackupService) {}

  @ServeRaw(backupApi.make)
  async make({ token, query }: Call<typeof backupApi.make>, reply: FastifyReply): Promise<void> {
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

  @Serve(backupApi.restore)
  restore({ token, request, gone }: Call<typeof backupApi.restore>) {
    return this.backups.restore(token, rawBody(request, BACKUP_MEDIA_TYPE), gone);
  }
}
