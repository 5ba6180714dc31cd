import { digestApi } from '@aish/contracts/endpoints/goals';
import { Serve, type Call } from '../http/serve.js';
import { Controller } from '@nestjs/common';
import { Digests } from './digests.js';

@Controller()
export class DigestController {
  constructor(private readonly digests: Digests) {}

  @Serve(digestApi.show)
  show({ query: { days } }: Call<typeof digestApi.show>) {
    return this.digests.until(new Date(), days);
  }
}
