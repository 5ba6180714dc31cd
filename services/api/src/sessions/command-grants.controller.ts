import { commandGrantsApi } from '@aish/contracts/endpoints/sessions';
import { Serve, type Call } from '../http/serve.js';
import { Controller } from '@nestjs/common';
import { CommandGrants } from './command-grants.js';

@Controller()
export class CommandGrantsController {
  constructor(private readonly grants: CommandGrants) {}

  @Serve(commandGrantsApi.list)
  async list({ params: { ref: reference } }: Call<typeof commandGrantsApi.list>) {
    return { items: await this.grants.list(reference) };
  }

  @Serve(commandGrantsApi.revoke)
  revoke({ token, params: { ref: reference, id: grantId } }: Call<typeof commandGrantsApi.revoke>) {
    return this.grants.revoke(token.name, reference, grantId);
  }
}
