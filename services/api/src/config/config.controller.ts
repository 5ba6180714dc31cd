import { configApi } from '@aish/contracts/endpoints/server';
import { Controller } from '@nestjs/common';
import { Serve, type Call } from '../http/serve.js';
import { ConfigService } from './config.service.js';

@Controller()
export class ConfigController {
  constructor(private readonly config: ConfigService) {}

  @Serve(configApi.show)
  show() {
    return this.config.show();
  }

  @Serve(configApi.apply)
  apply({ token, body }: Call<typeof configApi.apply>) {
    return this.config.apply(token, body);
  }
}
