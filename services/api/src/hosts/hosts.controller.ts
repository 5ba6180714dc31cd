import { Body, Controller, Delete, Get, HttpCode, Param, Post, Put } from '@nestjs/common';
import { ApiBearerAuth, ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import {
  AddHost,
  Host,
  HostCheck,
  HostCommandList,
  HostList,
  HostName,
  SeenHost,
  SetPrelude,
  TrustHost,
} from '@aish/contracts/hosts';
import type { ApiTokenRow } from '@aish/database/tokens.repository';
import { CurrentToken, Needs } from '../http/needs.decorator.js';
import { HostsService } from './hosts.service.js';

@ApiTags('hosts')
@ApiBearerAuth()
@Controller('v1/hosts')
export class HostsController {
  constructor(private readonly hosts: HostsService) {}

  @Get()
  @Needs('observe')
  @ApiOperation({
    summary: 'Machines that commands may use over SSH, when they were last seen, and what was done there last',
  })
  @ApiOkResponse({ standardSchema: HostList })
  async list(): Promise<HostList> {
    return { items: await this.hosts.list() };
  }

  @Post()
  @Needs('admin')
  @ApiOperation({ summary: 'Add a host; the answer has the keys that it shows, to be compared and trusted' })
  @ApiCreatedResponse({ standardSchema: SeenHost })
  add(@CurrentToken() token: ApiTokenRow, @Body({ schema: AddHost }) body: AddHost): Promise<SeenHost> {
    return this.hosts.add(token.name, body);
  }

  @Get(':name/keys')
  @Needs('admin')
  @ApiOperation({ summary: 'The keys that a host shows now, beside those that are pinned' })
  @ApiOkResponse({ standardSchema: SeenHost })
  see(@Param('name', { schema: HostName }) name: string): Promise<SeenHost> {
    return this.hosts.see(name);
  }

  @Post(':name/trust')
  @HttpCode(200)
  @Needs('admin')
  @ApiOperation({ summary: 'Pin keys of a host; it is used with no others' })
  @ApiOkResponse({ standardSchema: Host })
  trust(
    @CurrentToken() token: ApiTokenRow,
    @Param('name', { schema: HostName }) name: string,
    @Body({ schema: TrustHost }) { keys }: TrustHost,
  ): Promise<Host> {
    return this.hosts.trust(token.name, name, keys);
  }

  @Put(':name/prelude')
  @Needs('admin')
  @ApiOperation({ summary: 'Say what runs on a host before each command that a person let through: a snapshot, say' })
  @ApiOkResponse({ standardSchema: Host })
  setPrelude(
    @CurrentToken() token: ApiTokenRow,
    @Param('name', { schema: HostName }) name: string,
    @Body({ schema: SetPrelude }) body: SetPrelude,
  ): Promise<Host> {
    return this.hosts.setPrelude(token.name, name, body);
  }

  @Post(':name/check')
  @HttpCode(200)
  @Needs('admin')
  @ApiOperation({ summary: 'Sign in to a host, and run a command that changes nothing' })
  @ApiOkResponse({ standardSchema: HostCheck })
  check(@Param('name', { schema: HostName }) name: string): Promise<HostCheck> {
    return this.hosts.check(name);
  }

  @Get(':name/commands')
  @Needs('observe')
  @ApiOperation({ summary: 'What was asked for on a host, newest first, by which goal, and how it ended' })
  @ApiOkResponse({ standardSchema: HostCommandList })
  commands(@Param('name', { schema: HostName }) name: string): Promise<HostCommandList> {
    return this.hosts.commands(name);
  }

  @Delete(':name')
  @Needs('admin')
  @ApiOperation({ summary: 'Remove a host; what was done there stays on record' })
  @ApiOkResponse({ standardSchema: Host })
  remove(@CurrentToken() token: ApiTokenRow, @Param('name', { schema: HostName }) name: string): Promise<Host> {
    return this.hosts.remove(token.name, name);
  }
}
