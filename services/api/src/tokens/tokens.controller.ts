import { tokensApi } from '@aish/contracts/endpoints/sign-in';
import { Serve, type Call } from '../http/serve.js';
import { Controller } from '@nestjs/common';
import { TokensService } from './tokens.service.js';

@Controller()
export class TokensController {
  constructor(private readonly tokens: TokensService) {}

  @Serve(tokensApi.list)
  async list() {
    return { items: await this.tokens.list() };
  }

  @Serve(tokensApi.create)
  create({ token, body }: Call<typeof tokensApi.create>) {
    return this.tokens.create(token.name, body);
  }

  @Serve(tokensApi.revoke)
  revoke({ token, params: { ref: reference } }: Call<typeof tokensApi.revoke>) {
    return this.tokens.revoke(token.name, reference);
  }
}
