import { Controller, Get, HttpCode, Param, Post } from '@nestjs/common';
import { ApiBearerAuth, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { PresetName } from '@aish/contracts/goals';
import { Model, ModelList } from '@aish/contracts/models';
import { Needs } from '../http/needs.decorator.js';
import { ModelsService } from './models.service.js';

@ApiTags('models')
@ApiBearerAuth()
@Controller('v1/models')
export class ModelsController {
  constructor(private readonly models: ModelsService) {}

  @Get()
  @Needs('observe')
  @ApiOperation({ summary: 'The presets, and whether their endpoints are ready' })
  @ApiOkResponse({ standardSchema: ModelList })
  async list(): Promise<ModelList> {
    return { items: await this.models.list() };
  }

  @Post(':preset/probe')
  @HttpCode(200)
  @Needs('operate')
  @ApiOperation({ summary: 'Find out anew what the model of a preset can do' })
  @ApiOkResponse({ standardSchema: Model })
  probe(@Param('preset', { schema: PresetName }) preset: PresetName): Promise<Model> {
    return this.models.probe(preset);
  }
}
