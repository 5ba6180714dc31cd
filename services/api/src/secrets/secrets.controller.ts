import { Body, Controller, Delete, Get, HttpCode, Param, Post, Put } from '@nestjs/common';
import { ApiBearerAuth, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import {
  FoundSecrets,
  LookForSecrets,
  Secret,
  SecretList,
  SecretName,
  SessionSecrets,
  SetSecret,
} from '@aish/contracts/secrets';
import type { ApiTokenRow } from '@aish/database/tokens.repository';
import { sureSecrets } from '@aish/secrets';
import { z } from 'zod';
import { CurrentToken, Needs } from '../http/needs.decorator.js';
import { SecretsService } from './secrets.service.js';

const Id = z.uuid().toLowerCase();

@ApiTags('secrets')
@ApiBearerAuth()
@Controller('v1')
export class SecretsController {
  constructor(private readonly secrets: SecretsService) {}

  @Get('secrets')
  @Needs('observe')
  @ApiOperation({ summary: 'Every secret by its name, and where it may go; never its value' })
  @ApiOkResponse({ standardSchema: SecretList })
  async list(): Promise<SecretList> {
    return { items: await this.secrets.list() };
  }

  @Post('secrets/look')
  @HttpCode(200)
  @Needs('observe')
  @ApiOperation({ summary: 'What a text looks like it holds of secrets; it is not kept' })
  @ApiOkResponse({ standardSchema: FoundSecrets })
  async look(@Body({ schema: LookForSecrets }) { text }: LookForSecrets): Promise<FoundSecrets> {
    return { titles: [...(await sureSecrets(text))] };
  }

  @Put('secrets/:name')
  @Needs('admin')
  @ApiOperation({ summary: 'Set a secret whole: its value, and where it may go' })
  @ApiOkResponse({ standardSchema: Secret })
  set(
    @CurrentToken() token: ApiTokenRow,
    @Param('name', { schema: SecretName }) name: string,
    @Body({ schema: SetSecret }) body: SetSecret,
  ): Promise<Secret> {
    return this.secrets.set(token.name, name, body);
  }

  @Delete('secrets/:name')
  @Needs('admin')
  @ApiOperation({ summary: 'Remove a secret; no command may use it from now on' })
  @ApiOkResponse({ standardSchema: Secret })
  remove(@CurrentToken() token: ApiTokenRow, @Param('name', { schema: SecretName }) name: string): Promise<Secret> {
    return this.secrets.remove(token.name, name);
  }

  @Get('sessions/:id/secrets')
  @Needs('observe')
  @ApiOperation({ summary: 'The secrets that commands of a session may use, by name' })
  @ApiOkResponse({ standardSchema: SessionSecrets })
  ofSession(@Param('id', { schema: Id }) id: string): Promise<SessionSecrets> {
    return this.secrets.ofSession(id);
  }

  @Put('sessions/:id/secrets')
  @Needs('admin')
  @ApiOperation({ summary: 'Say which secrets commands of a session may use, from the next command on' })
  @ApiOkResponse({ standardSchema: SessionSecrets })
  give(
    @CurrentToken() token: ApiTokenRow,
    @Param('id', { schema: Id }) id: string,
    @Body({ schema: SessionSecrets }) { names }: SessionSecrets,
  ): Promise<SessionSecrets> {
    return this.secrets.give(token.name, id, names);
  }
}
