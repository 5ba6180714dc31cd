import { decisionsApi } from '@aish/contracts/endpoints/decisions';
import { Serve, type Call } from '../http/serve.js';
import { Controller } from '@nestjs/common';
import { allows } from '@aish/contracts/tokens';
import { DecisionsService } from './decisions.service.js';

@Controller()
export class DecisionsController {
  constructor(private readonly decisions: DecisionsService) {}

  @Serve(decisionsApi.list)
  async list({ query }: Call<typeof decisionsApi.list>) {
    return { items: await this.decisions.list(query) };
  }

  @Serve(decisionsApi.show)
  show({ params: { ref: reference } }: Call<typeof decisionsApi.show>) {
    return this.decisions.find(reference);
  }

  @Serve(decisionsApi.decide)
  decide({ token, params: { ref: reference }, body: verdict }: Call<typeof decisionsApi.decide>) {
    const isAdmin = allows(token.scopes, 'admin');
    return this.decisions.decide({ name: token.name, owner: token.owner, isAdmin }, reference, verdict);
  }

  @Serve(decisionsApi.takeBack)
  takeBack({ token, params: { ref: reference } }: Call<typeof decisionsApi.takeBack>) {
    return this.decisions.takeBack(token.name, reference);
  }
}
