import { goalsApi } from '@aish/contracts/endpoints/goals';
import { Serve, ServeRaw, type Call } from '../http/serve.js';
import { Controller } from '@nestjs/common';
import { goalMarkdown } from '@aish/sessions';
import type { FastifyReply } from 'fastify';
import { GoalsService } from './goals.service.js';
import { NewGoals } from './new-goals.js';

@Controller()
export class GoalsController {
  constructor(
    private readonly given: NewGoals,
    private readonly goals: GoalsService,
  ) {}

  @Serve(goalsApi.create)
  create({ token, body: input }: Call<typeof goalsApi.create>) {
    return this.given.create(token, input);
  }

  @Serve(goalsApi.list)
  async list({ query }: Call<typeof goalsApi.list>) {
    return { items: await this.goals.list({ ...query, archived: query.archived === 'true' }) };
  }

  @Serve(goalsApi.show)
  show({ params: { ref: reference } }: Call<typeof goalsApi.show>) {
    return this.goals.show(reference);
  }

  @Serve(goalsApi.cancel)
  cancel({ token, params: { ref: reference } }: Call<typeof goalsApi.cancel>) {
    return this.goals.cancel(token.name, reference);
  }

  @Serve(goalsApi.pause)
  pause({ token, params: { ref: reference }, query: { stop } }: Call<typeof goalsApi.pause>) {
    return this.goals.pause(token.name, reference, stop === 'true');
  }

  @Serve(goalsApi.resume)
  resume({ params: { ref: reference } }: Call<typeof goalsApi.resume>) {
    return this.goals.resume(reference);
  }

  @Serve(goalsApi.continue)
  continue({ token, params: { ref: reference }, body: input }: Call<typeof goalsApi.continue>) {
    return this.goals.continue(token.name, reference, input);
  }

  @Serve(goalsApi.edit)
  edit({ token, params: { ref: reference }, body: input }: Call<typeof goalsApi.edit>) {
    return this.goals.edit(token, reference, input);
  }

  @Serve(goalsApi.grants)
  async grants({ params: { ref: reference } }: Call<typeof goalsApi.grants>) {
    return { items: await this.goals.grants(reference) };
  }

  @Serve(goalsApi.revoke)
  revoke({ token, params: { ref: reference, id } }: Call<typeof goalsApi.revoke>) {
    return this.goals.revoke(token.name, reference, id);
  }

  @ServeRaw(goalsApi.export)
  async export(
    { params: { ref: reference }, query: { format } }: Call<typeof goalsApi.export>,
    reply: FastifyReply,
  ): Promise<void> {
    const goal = await this.goals.show(reference);
    if (format === 'json') await reply.send(goal);
    else await reply.type('text/markdown; charset=utf-8').send(goalMarkdown(goal));
  }
}
