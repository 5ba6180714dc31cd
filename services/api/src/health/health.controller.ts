import { healthApi } from '@aish/contracts/endpoints/server';
import { Serve, type Call } from '../http/serve.js';
import { Controller } from '@nestjs/common';
import { HealthService } from './health.service.js';

@Controller()
export class HealthController {
  constructor(private readonly health: HealthService) {}

  @Serve(healthApi.check)
  async check({ reply }: Call<typeof healthApi.check>) {
    const health = await this.health.check();
    void reply.status(health.status === 'down' ? 503 : 200);
    return health;
  }
}
