import { recallApi } from '@aish/contracts/endpoints/memory';
import { Serve, type Call } from '../http/serve.js';
import { Controller } from '@nestjs/common';
import { Recall } from '@aish/memory';
import { callerOf } from './caller.js';

const TIMEOUT_MS = 30_000;

@Controller()
export class RecallController {
  constructor(private readonly memory: Recall) {}

  @Serve(recallApi.recall)
  recall({ token, query }: Call<typeof recallApi.recall>) {
    const { q, limit, kind } = query;
    const question = { text: q, limit, ...(kind === undefined ? {} : { kinds: [kind] }) };
    const caller = { memory: callerOf(token), token: token.name };
    return this.memory.find(question, caller, AbortSignal.timeout(TIMEOUT_MS));
  }
}
