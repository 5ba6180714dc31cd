import { proposalsApi } from '@aish/contracts/endpoints/runbooks';
import { Serve, type Call } from '../http/serve.js';
import { Controller } from '@nestjs/common';
import { RunbooksService } from './runbooks.service.js';

/** Serves runbook changes that models propose, and their review. */
@Controller()
export class RunbookProposalsController {
  constructor(private readonly runbooks: RunbooksService) {}

  @Serve(proposalsApi.list)
  async list() {
    return { items: await this.runbooks.proposals().list() };
  }

  @Serve(proposalsApi.show)
  show({ params: { ref: reference }, gone }: Call<typeof proposalsApi.show>) {
    return this.runbooks.proposals().show(Number(reference), gone);
  }

  @Serve(proposalsApi.accept)
  accept({ token, params: { ref: reference }, body, gone }: Call<typeof proposalsApi.accept>) {
    return this.runbooks.adopt(token.name, Number(reference), body, gone);
  }

  @Serve(proposalsApi.reject)
  reject({ token, params: { ref: reference } }: Call<typeof proposalsApi.reject>) {
    return this.runbooks.proposals().reject(token.name, Number(reference));
  }
}
