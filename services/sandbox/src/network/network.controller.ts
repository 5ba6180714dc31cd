import { NetworkPolicy, type NetworkConnectionList } from '@aish/contracts/network';
import { Body, Controller, Get, HttpCode, Param, Post, Put } from '@nestjs/common';
import { z } from 'zod';
import { NetworkGate } from './network.gate.js';

const Id = z.uuid().toLowerCase();

/** Only the api calls this, for an admin. See services/api/src/sessions. */
@Controller('v1/workspaces/:id/network')
export class NetworkController {
  constructor(private readonly gate: NetworkGate) {}

  @Get()
  policy(@Param('id', { schema: Id }) id: string): NetworkPolicy {
    return this.gate.policy(id);
  }

  @Put()
  set(
    @Param('id', { schema: Id }) id: string,
    @Body({ schema: NetworkPolicy }) policy: NetworkPolicy,
  ): Promise<NetworkPolicy> {
    return this.gate.setPolicy(id, policy);
  }

  /** Sets the initial policy of a workspace. Nothing changes if a policy was already set. */
  @Post()
  @HttpCode(200)
  begin(
    @Param('id', { schema: Id }) id: string,
    @Body({ schema: NetworkPolicy }) policy: NetworkPolicy,
  ): Promise<NetworkPolicy> {
    return this.gate.beginPolicy(id, policy);
  }

  @Get('connections')
  connections(@Param('id', { schema: Id }) id: string): NetworkConnectionList {
    return { items: [...this.gate.connections(id)] };
  }
}
