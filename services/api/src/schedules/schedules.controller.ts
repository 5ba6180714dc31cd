import { schedulesApi } from '@aish/contracts/endpoints/goals';
import { Serve, type Call } from '../http/serve.js';
import { Controller } from '@nestjs/common';
import { SchedulesService } from './schedules.service.js';

@Controller()
export class SchedulesController {
  constructor(private readonly schedules: SchedulesService) {}

  @Serve(schedulesApi.create)
  create({ token, body: input }: Call<typeof schedulesApi.create>) {
    return this.schedules.create(token, input);
  }

  @Serve(schedulesApi.list)
  async list() {
    return { items: await this.schedules.list() };
  }

  @Serve(schedulesApi.remove)
  remove({ token, params: { ref: reference } }: Call<typeof schedulesApi.remove>) {
    return this.schedules.remove(token.name, reference);
  }
}
