import { safetyApi } from '@aish/contracts/endpoints/decisions';
import { Serve, type Call } from '../http/serve.js';
import { Controller } from '@nestjs/common';
import { SafetyService } from './safety.service.js';

const CHECK_TIMEOUT_MS = 30_000;

@Controller()
export class SafetyController {
  constructor(private readonly safety: SafetyService) {}

  @Serve(safetyApi.patterns)
  patterns() {
    return { items: this.safety.rules() };
  }

  @Serve(safetyApi.check)
  check({ body: check }: Call<typeof safetyApi.check>) {
    return this.safety.check(check, AbortSignal.timeout(CHECK_TIMEOUT_MS));
  }
}
