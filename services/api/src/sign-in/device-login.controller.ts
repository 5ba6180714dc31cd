import { Body, Controller, Get, HttpCode, Param, Post, Req } from '@nestjs/common';
import { ApiBearerAuth, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import {
  AskDeviceToken,
  BeginDeviceLogin,
  DecideDevice,
  DeviceLogin,
  DeviceToken,
  UserCode,
  WaitingDevice,
} from '@aish/contracts/device-login';
import { isAishError } from '@aish/contracts/problems';
import type { ApiTokenRow } from '@aish/database/tokens.repository';
import type { FastifyRequest } from 'fastify';
import { CurrentToken, Needs } from '../http/needs.decorator.js';
import { RequestLimits } from '../http/request-limits.js';
import { DeviceLoginService } from './device-login.service.js';
import { fromTerminal } from './from-terminal.js';

@ApiTags('device login')
@Controller('v1/device')
export class DeviceLoginController {
  constructor(
    private readonly logins: DeviceLoginService,
    private readonly limits: RequestLimits,
  ) {}

  @Post()
  @HttpCode(200)
  @Needs('nothing')
  @ApiOperation({ summary: 'Ask to be let in by a code (RFC 8628)' })
  @ApiOkResponse({ standardSchema: DeviceLogin })
  async begin(
    @Req() request: FastifyRequest,
    @Body({ schema: BeginDeviceLogin }) { name }: BeginDeviceLogin,
  ): Promise<DeviceLogin> {
    fromTerminal(request);
    await this.limits.signIn(request.ip);
    return this.logins.begin(name, request.ip, `${request.protocol}://${request.host}`);
  }

  @Post('token')
  @HttpCode(200)
  @Needs('nothing')
  @ApiOperation({ summary: 'Fetch the token, once somebody has said yes; given once' })
  @ApiOkResponse({ standardSchema: DeviceToken })
  async token(
    @Req() request: FastifyRequest,
    @Body({ schema: AskDeviceToken }) { device_code: deviceCode }: AskDeviceToken,
  ): Promise<DeviceToken> {
    fromTerminal(request);
    try {
      return await this.logins.token(deviceCode);
    } catch (error) {
      if (isAishError(error, 'expired_token')) await this.limits.signIn(request.ip);
      throw error;
    }
  }

  @Get(':code')
  @ApiBearerAuth()
  @Needs('admin')
  @ApiOperation({ summary: 'The device that waits with this code' })
  @ApiOkResponse({ standardSchema: WaitingDevice })
  find(@Param('code', { schema: UserCode }) code: string): Promise<WaitingDevice> {
    return this.logins.find(code);
  }

  @Post(':code/decide')
  @HttpCode(200)
  @ApiBearerAuth()
  @Needs('admin')
  @ApiOperation({ summary: 'Let a device in, or not' })
  @ApiOkResponse({ standardSchema: WaitingDevice })
  decide(
    @CurrentToken() token: ApiTokenRow,
    @Param('code', { schema: UserCode }) code: string,
    @Body({ schema: DecideDevice }) input: DecideDevice,
  ): Promise<WaitingDevice> {
    return this.logins.decide(token.name, code, input);
  }
}
