import { Controller, Get, Res } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Health } from '@aish/contracts/health';
import type { FastifyReply } from 'fastify';
import { Needs } from '../http/needs.decorator.js';
import { HealthService } from './health.service.js';

@ApiTags('health')
@Controller('v1/health')
export class HealthController {
  constructor(private readonly health: HealthService) {}

  @Get()
  @Needs('nothing')
  @ApiOperation({ summary: 'Whether aish works; needs no token. 503 when the database is down' })
  @ApiOkResponse({ standardSchema: Health })
  async check(@Res({ passthrough: true }) reply: FastifyReply): Promise<Health> {
    const health = await this.health.check();
    void reply.status(health.status === 'down' ? 503 : 200);
    return health;
  }
}
