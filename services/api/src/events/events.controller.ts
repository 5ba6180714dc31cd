import { eventsApi } from '@aish/contracts/endpoints/events';
import { Serve, type Call } from '../http/serve.js';
import { Controller } from '@nestjs/common';
import { eventBytes } from './event-body.js';
import { EventsService } from './events.service.js';

@Controller()
export class EventsController {
  constructor(private readonly events: EventsService) {}

  @Serve(eventsApi.receive)
  receive({ params: { name }, request }: Call<typeof eventsApi.receive>) {
    return this.events.receive(name, request.headers, eventBytes(request), request.body);
  }

  @Serve(eventsApi.addSource)
  addSource({ token, body: input }: Call<typeof eventsApi.addSource>) {
    return this.events.addSource(token.name, input);
  }

  @Serve(eventsApi.sources)
  async sources() {
    return { items: await this.events.sources() };
  }

  @Serve(eventsApi.removeSource)
  removeSource({ token, params: { name } }: Call<typeof eventsApi.removeSource>) {
    return this.events.removeSource(token.name, name);
  }

  @Serve(eventsApi.addRule)
  addRule({ token, body: rule }: Call<typeof eventsApi.addRule>) {
    return this.events.addRule(token, rule);
  }

  @Serve(eventsApi.rules)
  async rules() {
    return { items: await this.events.rules() };
  }

  @Serve(eventsApi.removeRule)
  removeRule({ token, params: { ref: reference } }: Call<typeof eventsApi.removeRule>) {
    return this.events.removeRule(token.name, reference);
  }

  @Serve(eventsApi.list)
  async list({ query: { source, limit } }: Call<typeof eventsApi.list>) {
    return { items: await this.events.list(source ?? null, limit) };
  }

  @Serve(eventsApi.find)
  find({ params: { ref: reference } }: Call<typeof eventsApi.find>) {
    return this.events.find(reference);
  }

  @Serve(eventsApi.test)
  test({ params: { ref: reference } }: Call<typeof eventsApi.test>) {
    return this.events.test(reference);
  }

  @Serve(eventsApi.replay)
  replay({ params: { ref: reference } }: Call<typeof eventsApi.replay>) {
    return this.events.replay(reference);
  }
}
