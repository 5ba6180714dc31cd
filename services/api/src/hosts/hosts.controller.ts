import { hostsApi } from '@aish/contracts/endpoints/access';
import { Serve, type Call } from '../http/serve.js';
import { Controller } from '@nestjs/common';
import { HostsService } from './hosts.service.js';

@Controller()
export class HostsController {
  constructor(private readonly hosts: HostsService) {}

  @Serve(hostsApi.list)
  async list() {
    return { items: await this.hosts.list() };
  }

  @Serve(hostsApi.add)
  add({ token, body }: Call<typeof hostsApi.add>) {
    return this.hosts.add(token.name, body);
  }

  @Serve(hostsApi.see)
  see({ params: { name } }: Call<typeof hostsApi.see>) {
    return this.hosts.see(name);
  }

  @Serve(hostsApi.trust)
  trust({ token, params: { name }, body: { keys } }: Call<typeof hostsApi.trust>) {
    return this.hosts.trust(token.name, name, keys);
  }

  @Serve(hostsApi.setPrelude)
  setPrelude({ token, params: { name }, body }: Call<typeof hostsApi.setPrelude>) {
    return this.hosts.setPrelude(token.name, name, body);
  }

  @Serve(hostsApi.check)
  check({ params: { name } }: Call<typeof hostsApi.check>) {
    return this.hosts.check(name);
  }

  @Serve(hostsApi.commands)
  commands({ params: { name } }: Call<typeof hostsApi.commands>) {
    return this.hosts.commands(name);
  }

  @Serve(hostsApi.remove)
  remove({ token, params: { name } }: Call<typeof hostsApi.remove>) {
    return this.hosts.remove(token.name, name);
  }
}
