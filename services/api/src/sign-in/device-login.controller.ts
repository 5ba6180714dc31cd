import { deviceLoginApi } from '@aish/contracts/endpoints/sign-in';
import { Serve, type Call } from '../http/serve.js';
import { Controller } from '@nestjs/common';
import { isAishError } from '@aish/contracts/problems';
import { RequestLimits } from '../http/request-limits.js';
import { DeviceLoginService } from './device-login.service.js';
import { fromTerminal } from './from-terminal.js';

@Controller()
export class DeviceLoginController {
  constructor(
    private readonly logins: DeviceLoginService,
    private readonly limits: RequestLimits,
  ) {}

  @Serve(deviceLoginApi.begin)
  async begin({ body: { name }, request }: Call<typeof deviceLoginApi.begin>) {
    fromTerminal(request);
    await this.limits.signIn(request.ip);
    return this.logins.begin(name, request.ip, `${request.protocol}://${request.host}`);
  }

  @Serve(deviceLoginApi.token)
  async token({ body: { device_code: deviceCode }, request }: Call<typeof deviceLoginApi.token>) {
    fromTerminal(request);
    try {
      return await this.logins.token(deviceCode);
    } catch (error) {
      if (isAishError(error, 'expired_token')) await this.limits.signIn(request.ip);
      throw error;
    }
  }

  @Serve(deviceLoginApi.find)
  find({ params: { code } }: Call<typeof deviceLoginApi.find>) {
    return this.logins.find(code);
  }

  @Serve(deviceLoginApi.decide)
  decide({ token, params: { code }, body: input }: Call<typeof deviceLoginApi.decide>) {
    return this.logins.decide(token.name, code, input);
  }
}
