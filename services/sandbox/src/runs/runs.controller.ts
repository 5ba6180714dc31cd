import { RunRequest, type RunStatus } from '@aish/contracts/runs';
import { SseStream } from '@aish/http';
import { Body, Controller, Delete, Get, Param, Post, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import { RunsService } from './runs.service.js';

// IDs are converted to lower case, so that two spellings of an ID name the same run, file and container.
const Id = z.uuid().toLowerCase();
// The length of a command has its own error code, so the service checks it.
const NewRun = RunRequest.extend({ runId: Id, workspaceId: Id, command: z.string().min(1) });

@Controller('v1/runs')
export class RunsController {
  constructor(private readonly runs: RunsService) {}

  @Post()
  async run(@Body({ schema: NewRun }) request: z.infer<typeof NewRun>, @Res() reply: FastifyReply): Promise<void> {
    const frames = await this.runs.open(request);
    const stream = new SseStream(reply);
    for await (const frame of frames(stream.closed)) {
      if (!(await stream.send({ event: frame.type, data: frame }))) break;
    }
    stream.end();
  }

  @Get(':runId')
  status(@Param('runId', { schema: Id }) runId: string): Promise<RunStatus> {
    return this.runs.status(runId);
  }

  @Delete(':runId')
  cancel(@Param('runId', { schema: Id }) runId: string): Promise<RunStatus> {
    return this.runs.cancel(runId);
  }
}
