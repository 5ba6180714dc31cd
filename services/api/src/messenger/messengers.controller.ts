import { messengersApi } from '@aish/contracts/endpoints/sign-in';
import { Controller } from '@nestjs/common';
import { Serve, type Call } from '../http/serve.js';
import { MessengerBindings } from './bindings.service.js';

@Controller()
export class MessengersController {
  constructor(private readonly bindings: MessengerBindings) {}

  @Serve(messengersApi.code)
  code({ token }: Call<typeof messengersApi.code>) {
    return this.bindings.code(token);
  }
}
