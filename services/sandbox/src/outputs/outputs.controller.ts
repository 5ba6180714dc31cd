import { OMITTED_BYTES_HEADER } from '@aish/contracts/runs';
import { sendFile } from '@aish/http';
import { Controller, Get, Param, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import { OutputStore } from './output.store.js';

const Id = z.uuid().toLowerCase();

@Controller('v1/workspaces/:id/outputs/:runId')
export class OutputsController {
  constructor(private readonly outputs: OutputStore) {}

  @Get()
  async read(
    @Param('id', { schema: Id }) id: string,
    @Param('runId', { schema: Id }) runId: string,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const output = await this.outputs.open(id, runId);
    void reply.header(OMITTED_BYTES_HEADER, String(output.omittedBytes));
    await sendFile(reply, 'text/plain; charset=utf-8', Promise.resolve(output));
  }
}
