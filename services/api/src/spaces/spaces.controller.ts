import { spacesApi } from '@aish/contracts/endpoints/access';
import { Serve, type Call } from '../http/serve.js';
import { Controller } from '@nestjs/common';
import { SpacesService } from './spaces.service.js';

@Controller()
export class SpacesController {
  constructor(private readonly spaces: SpacesService) {}

  @Serve(spacesApi.list)
  async list() {
    return { items: await this.spaces.list() };
  }

  @Serve(spacesApi.show)
  show({ params: { name } }: Call<typeof spacesApi.show>) {
    return this.spaces.find(name);
  }

  @Serve(spacesApi.set)
  set({ token, params: { name }, body }: Call<typeof spacesApi.set>) {
    return this.spaces.set(token.name, name, body);
  }

  @Serve(spacesApi.remove)
  remove({ token, params: { name } }: Call<typeof spacesApi.remove>) {
    return this.spaces.remove(token.name, name);
  }
}
