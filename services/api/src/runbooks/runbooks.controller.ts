import { runbooksApi } from '@aish/contracts/endpoints/runbooks';
import { Serve, type Call } from '../http/serve.js';
import { Controller } from '@nestjs/common';
import { RunbooksService } from './runbooks.service.js';

@Controller()
export class RunbooksController {
  constructor(private readonly runbooks: RunbooksService) {}

  @Serve(runbooksApi.list)
  async list({ gone }: Call<typeof runbooksApi.list>) {
    return { items: await this.runbooks.list(gone) };
  }

  @Serve(runbooksApi.show)
  show({ params: { name }, gone }: Call<typeof runbooksApi.show>) {
    return this.runbooks.show(name, gone);
  }

  @Serve(runbooksApi.put)
  put({ token, params: { name }, body, gone }: Call<typeof runbooksApi.put>) {
    return this.runbooks.put(token.name, name, body, gone);
  }

  @Serve(runbooksApi.accept)
  accept({ token, params: { name }, body: { digest } }: Call<typeof runbooksApi.accept>) {
    return this.runbooks.accept(token.name, name, digest);
  }
}
