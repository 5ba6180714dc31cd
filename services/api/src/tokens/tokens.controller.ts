import { Body, Controller, Delete, Get, Param, Post } from '@nestjs/common';
import { ApiBearerAuth, ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { CreateToken, NewToken, Token, TokenList, TokenName } from '@aish/contracts/tokens';
import type { ApiTokenRow } from '@aish/database/tokens.repository';
import { z } from 'zod';
import { CurrentToken, Needs } from '../http/needs.decorator.js';
import { TokensService } from './tokens.service.js';

const TokenReference = z.union([z.uuid(), TokenName]);

@ApiTags('tokens')
@ApiBearerAuth()
@Controller('v1/tokens')
export class TokensController {
  constructor(private readonly tokens: TokensService) {}

  @Get()
  @Needs('admin')
  @ApiOperation({ summary: 'Every token, newest first; never its secret' })
  @ApiOkResponse({ standardSchema: TokenList })
  async list(): Promise<TokenList> {
    return { items: await this.tokens.list() };
  }

  @Post()
  @Needs('admin')
  @ApiOperation({ summary: 'Make a token; its secret is in this answer and nowhere else' })
  @ApiCreatedResponse({ standardSchema: NewToken })
  create(@CurrentToken() token: ApiTokenRow, @Body({ schema: CreateToken }) body: CreateToken): Promise<NewToken> {
    return this.tokens.create(token.name, body);
  }

  @Delete(':ref')
  @Needs('admin')
  @ApiOperation({ summary: 'Revoke a token by name or id; it is refused from now on' })
  @ApiOkResponse({ standardSchema: Token })
  revoke(
    @CurrentToken() token: ApiTokenRow,
    @Param('ref', { schema: TokenReference }) reference: string,
  ): Promise<Token> {
    return this.tokens.revoke(token.name, reference);
  }
}
