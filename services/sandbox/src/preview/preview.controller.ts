import { PreviewRequest, type CopyPreview } from '@aish/contracts/files';
import { untilGone } from '@aish/http';
import { Body, Controller, HttpCode, Param, Post, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import { PreviewService } from './preview.service.js';

const Id = z.uuid().toLowerCase();

@Controller('v1/workspaces/:id/preview')
export class PreviewController {
  constructor(private readonly previews: PreviewService) {}

  @Post()
  @HttpCode(200)
  preview(
    @Param('id', { schema: Id }) id: string,
    @Body({ schema: PreviewRequest }) request: PreviewRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<CopyPreview> {
    return this.previews.preview(id, request, untilGone(reply));
  }
}
