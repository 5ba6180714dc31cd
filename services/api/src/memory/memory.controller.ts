import { memoryApi } from '@aish/contracts/endpoints/memory';
import { Serve, ServeRaw, type Call } from '../http/serve.js';
import { Controller } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { callerOf } from './caller.js';
import { MemoryMaintainer } from './memory-maintainer.js';
import { MemoryService } from './memory.service.js';

@Controller()
export class MemoryController {
  constructor(
    private readonly memory: MemoryService,
    private readonly keeper: MemoryMaintainer,
  ) {}

  @Serve(memoryApi.counts)
  counts({ token }: Call<typeof memoryApi.counts>) {
    return this.memory.counts(callerOf(token));
  }

  @Serve(memoryApi.list)
  list({ token, query }: Call<typeof memoryApi.list>) {
    return this.memory.list(callerOf(token), query);
  }

  @Serve(memoryApi.add)
  add({ token, body: input }: Call<typeof memoryApi.add>) {
    return this.memory.add(callerOf(token), input);
  }

  @Serve(memoryApi.show)
  show({ token, params: { number } }: Call<typeof memoryApi.show>) {
    return this.memory.show(callerOf(token), number);
  }

  @Serve(memoryApi.why)
  why({ token, params: { number } }: Call<typeof memoryApi.why>) {
    return this.memory.why(callerOf(token), number);
  }

  @Serve(memoryApi.edit)
  edit({ token, params: { number }, body: change }: Call<typeof memoryApi.edit>) {
    return this.memory.edit(callerOf(token), number, change);
  }

  @Serve(memoryApi.forget)
  forget({ token, params: { number } }: Call<typeof memoryApi.forget>) {
    return this.memory.forget(callerOf(token), number);
  }

  @Serve(memoryApi.clear)
  clear({ token, body: { confirm } }: Call<typeof memoryApi.clear>) {
    return this.memory.clear(callerOf(token), confirm);
  }

  @Serve(memoryApi.prune)
  prune({ token, body: { olderThanDays } }: Call<typeof memoryApi.prune>) {
    return this.memory.prune(callerOf(token), olderThanDays);
  }

  @Serve(memoryApi.search)
  search({ token, query }: Call<typeof memoryApi.search>) {
    return this.memory.search(callerOf(token), query);
  }

  @Serve(memoryApi.inject)
  inject({ token, body: input }: Call<typeof memoryApi.inject>) {
    return this.memory.inject(callerOf(token), input.sessionId);
  }

  @Serve(memoryApi.sessionEnded)
  sessionEnded({ token, body: { sessionId } }: Call<typeof memoryApi.sessionEnded>) {
    return this.keeper.sessionEnded(callerOf(token).owner, sessionId);
  }

  @ServeRaw(memoryApi.export)
  export({ token }: Call<typeof memoryApi.export>, reply: FastifyReply): Promise<void> {
    return this.memory.export(callerOf(token), reply);
  }

  @Serve(memoryApi.import)
  import({ token, body: { jsonl } }: Call<typeof memoryApi.import>) {
    return this.memory.import(callerOf(token), jsonl);
  }
}
