import { Body, Controller, Get, Param, Put } from '@nestjs/common';
import { ApiBearerAuth, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { NetworkConnectionList, NetworkPolicy } from '@aish/contracts/network';
import type { ApiTokenRow } from '@aish/database/tokens.repository';
import { z } from 'zod';
import { CurrentToken, Needs } from '../http/needs.decorator.js';
import { NetworkService } from './network.service.js';

const Id = z.uuid().toLowerCase();

@ApiTags('sessions')
@ApiBearerAuth()
@Controller('v1/sessions/:id/network')
export class NetworkController {
  constructor(private readonly network: NetworkService) {}

  @Get()
  @Needs('observe')
  @ApiOperation({ summary: 'What commands of a session may reach' })
  @ApiOkResponse({ standardSchema: NetworkPolicy })
  policy(@Param('id', { schema: Id }) id: string): Promise<NetworkPolicy> {
    return this.network.policy(id);
  }

  @Put()
  @Needs('admin')
  @ApiOperation({ summary: 'Say what commands of a session may reach; open connections are cut' })
  @ApiOkResponse({ standardSchema: NetworkPolicy })
  set(
    @CurrentToken() token: ApiTokenRow,
    @Param('id', { schema: Id }) id: string,
    @Body({ schema: NetworkPolicy }) policy: NetworkPolicy,
  ): Promise<NetworkPolicy> {
    return this.network.set(token.name, id, policy);
  }

  @Get('connections')
  @Needs('observe')
  @ApiOperation({ summary: 'The newest connections of a session, as far as the sandbox remembers' })
  @ApiOkResponse({ standardSchema: NetworkConnectionList })
  connections(@Param('id', { schema: Id }) id: string): Promise<NetworkConnectionList> {
    return this.network.connections(id);
  }
}
