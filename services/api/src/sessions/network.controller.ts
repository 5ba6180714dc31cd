import { networkApi } from '@aish/contracts/endpoints/sessions';
import { Serve, type Call } from '../http/serve.js';
import { Controller } from '@nestjs/common';
import { NetworkService } from './network.service.js';

@Controller()
export class NetworkController {
  constructor(private readonly network: NetworkService) {}

  @Serve(networkApi.policy)
  policy({ params: { id } }: Call<typeof networkApi.policy>) {
    return this.network.policy(id);
  }

  @Serve(networkApi.set)
  set({ token, params: { id }, body: policy }: Call<typeof networkApi.set>) {
    return this.network.set(token.name, id, policy);
  }

  @Serve(networkApi.connections)
  connections({ params: { id } }: Call<typeof networkApi.connections>) {
    return this.network.connections(id);
  }
}
