import { Body, Controller, Delete, Get, Param, Patch } from '@nestjs/common';
import { ApiBearerAuth, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { SpaceName } from '@aish/contracts/space-name';
import { SetSpace, Space, SpaceList } from '@aish/contracts/spaces';
import type { ApiTokenRow } from '@aish/database/tokens.repository';
import { CurrentToken, Needs } from '../http/needs.decorator.js';
import { SpacesService } from './spaces.service.js';

@ApiTags('spaces')
@ApiBearerAuth()
@Controller('v1/spaces')
export class SpacesController {
  constructor(private readonly spaces: SpacesService) {}

  @Get()
  @Needs('observe')
  @ApiOperation({ summary: 'What goals and chats of each space reach, and who may work there' })
  @ApiOkResponse({ standardSchema: SpaceList })
  async list(): Promise<SpaceList> {
    return { items: await this.spaces.list() };
  }

  @Get(':name')
  @Needs('observe')
  @ApiOperation({ summary: 'What goals and chats of a space reach, and who may work there' })
  @ApiOkResponse({ standardSchema: Space })
  show(@Param('name', { schema: SpaceName }) name: string): Promise<Space> {
    return this.spaces.find(name);
  }

  @Patch(':name')
  @Needs('admin')
  @ApiOperation({ summary: 'Say what a space reaches, for what is begun there from now on; what is left out stays' })
  @ApiOkResponse({ standardSchema: Space })
  set(
    @CurrentToken() token: ApiTokenRow,
    @Param('name', { schema: SpaceName }) name: string,
    @Body({ schema: SetSpace }) body: SetSpace,
  ): Promise<Space> {
    return this.spaces.set(token.name, name, body);
  }

  @Delete(':name')
  @Needs('admin')
  @ApiOperation({ summary: 'Let nothing more begin in a space; what was begun and its memory stay' })
  @ApiOkResponse({ standardSchema: Space })
  remove(@CurrentToken() token: ApiTokenRow, @Param('name', { schema: SpaceName }) name: string): Promise<Space> {
    return this.spaces.remove(token.name, name);
  }
}
