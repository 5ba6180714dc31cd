import { secretsApi } from '@aish/contracts/endpoints/access';
import { Serve, type Call } from '../http/serve.js';
import { Controller } from '@nestjs/common';
import { sureSecrets } from '@aish/secrets';
import { SecretsService } from './secrets.service.js';

@Controller()
export class SecretsController {
  constructor(private readonly secrets: SecretsService) {}

  @Serve(secretsApi.list)
  async list() {
    return { items: await this.secrets.list() };
  }

  @Serve(secretsApi.look)
  async look({ body: { text } }: Call<typeof secretsApi.look>) {
    return { titles: [...(await sureSecrets(text))] };
  }

  @Serve(secretsApi.set)
  set({ token, params: { name }, body }: Call<typeof secretsApi.set>) {
    return this.secrets.set(token.name, name, body);
  }

  @Serve(secretsApi.remove)
  remove({ token, params: { name } }: Call<typeof secretsApi.remove>) {
    return this.secrets.remove(token.name, name);
  }

  @Serve(secretsApi.ofSession)
  ofSession({ params: { id } }: Call<typeof secretsApi.ofSession>) {
    return this.secrets.ofSession(id);
  }

  @Serve(secretsApi.give)
  give({ token, params: { id }, body: { names } }: Call<typeof secretsApi.give>) {
    return this.secrets.give(token.name, id, names);
  }
}
