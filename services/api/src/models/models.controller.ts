import { modelsApi } from '@aish/contracts/endpoints/server';
import { Serve, type Call } from '../http/serve.js';
import { Controller } from '@nestjs/common';
import { ModelsService } from './models.service.js';

@Controller()
export class ModelsController {
  constructor(private readonly models: ModelsService) {}

  @Serve(modelsApi.list)
  async list() {
    return { items: await this.models.list() };
  }

  @Serve(modelsApi.probe)
  probe({ params: { preset } }: Call<typeof modelsApi.probe>) {
    return this.models.probe(preset);
  }
}
