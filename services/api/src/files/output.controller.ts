import { outputApi } from '@aish/contracts/endpoints/files';
import { Serve, type Call } from '../http/serve.js';
import { Controller } from '@nestjs/common';
import { Outputs } from './outputs.js';

@Controller()
export class OutputController {
  constructor(private readonly outputs: Outputs) {}

  @Serve(outputApi.read)
  read({ params: { id: actionId }, query: page, gone }: Call<typeof outputApi.read>) {
    return this.outputs.read(actionId, page, gone);
  }

  @Serve(outputApi.find)
  find({ params: { id: actionId }, query: wanted, gone }: Call<typeof outputApi.find>) {
    return this.outputs.find(actionId, wanted, gone);
  }
}
