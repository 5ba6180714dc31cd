import { candidatesApi } from '@aish/contracts/endpoints/memory';
import { Serve, type Call } from '../http/serve.js';
import { Controller } from '@nestjs/common';
import { callerOf } from './caller.js';
import { MemoryService } from './memory.service.js';

/** Serves memory candidates that models propose, and their review. Only a person's token may review. */
@Controller()
export class CandidatesController {
  constructor(private readonly memory: MemoryService) {}

  @Serve(candidatesApi.summarize)
  summarize({ token, body: input, gone }: Call<typeof candidatesApi.summarize>) {
    return this.memory.summarize(callerOf(token), input, gone);
  }

  @Serve(candidatesApi.list)
  list({ token, query }: Call<typeof candidatesApi.list>) {
    return this.memory.candidates(callerOf(token), query);
  }

  @Serve(candidatesApi.accept)
  accept({ token, params: { number }, body: change }: Call<typeof candidatesApi.accept>) {
    return this.memory.accept(callerOf(token), number, change);
  }

  @Serve(candidatesApi.reject)
  reject({ token, params: { number } }: Call<typeof candidatesApi.reject>) {
    return this.memory.reject(callerOf(token), number);
  }
}
