import { sessionToolsApi } from '@aish/contracts/endpoints/sessions';
import { Serve, type Call } from '../http/serve.js';
import { Controller } from '@nestjs/common';
import { SessionTools } from './session-tools.js';

@Controller()
export class SessionToolsController {
  constructor(private readonly tools: SessionTools) {}

  @Serve(sessionToolsApi.list)
  async list({ token, params: { ref: reference } }: Call<typeof sessionToolsApi.list>) {
    return { items: [...(await this.tools.list(token.name, reference))] };
  }

  @Serve(sessionToolsApi.grants)
  async grants({ params: { ref: reference } }: Call<typeof sessionToolsApi.grants>) {
    return { items: [...(await this.tools.grants(reference))] };
  }

  @Serve(sessionToolsApi.grant)
  async grant({ token, params: { ref: reference }, body: grant }: Call<typeof sessionToolsApi.grant>) {
    return { items: [...(await this.tools.grant(token.name, reference, grant))] };
  }

  @Serve(sessionToolsApi.revoke)
  async revoke({ params: { ref: reference }, body: grant }: Call<typeof sessionToolsApi.revoke>) {
    return { items: [...(await this.tools.revoke(reference, grant))] };
  }
}
