import type { Health } from '@aish/contracts/health';
import type { SandboxStatus } from '@aish/contracts/runs';
import { Controller, Get } from '@nestjs/common';
import { StatusService } from './status.service.js';

@Controller('v1')
export class StatusController {
  constructor(private readonly status: StatusService) {}

  @Get('status')
  describe(): Promise<SandboxStatus> {
    return this.status.describe();
  }

  @Get('health')
  health(): Promise<Health> {
    return this.status.health();
  }
}
