import { Body, Controller, Delete, Get, HttpCode, Param, Post, Put } from '@nestjs/common';
import { ApiBearerAuth, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Image, ImageList, ImageName, ImageRecipe } from '@aish/contracts/images';
import type { ApiTokenRow } from '@aish/database/tokens.repository';
import { CurrentToken, Needs } from '../http/needs.decorator.js';
import { ImagesService } from './images.service.js';

@ApiTags('images')
@ApiBearerAuth()
@Controller('v1/images')
export class ImagesController {
  constructor(private readonly images: ImagesService) {}

  @Get()
  @Needs('observe')
  @ApiOperation({ summary: 'The images that spaces may run their commands in, and how their builds are' })
  @ApiOkResponse({ standardSchema: ImageList })
  async list(): Promise<ImageList> {
    return { items: await this.images.list() };
  }

  @Get(':name')
  @Needs('observe')
  @ApiOperation({ summary: 'One image, and how its build is' })
  @ApiOkResponse({ standardSchema: Image })
  show(@Param('name', { schema: ImageName }) name: string): Promise<Image> {
    return this.images.find(name);
  }

  @Put(':name')
  @Needs('admin')
  @ApiOperation({ summary: 'Say what is in an image, and begin to build it; what was built before is used until then' })
  @ApiOkResponse({ standardSchema: Image })
  set(
    @CurrentToken() token: ApiTokenRow,
    @Param('name', { schema: ImageName }) name: string,
    @Body({ schema: ImageRecipe }) recipe: ImageRecipe,
  ): Promise<Image> {
    return this.images.set(token.name, name, recipe);
  }

  @Post(':name/rebuild')
  @HttpCode(200)
  @Needs('admin')
  @ApiOperation({ summary: 'Build an image again, with the newest packages, for what is begun afterwards' })
  @ApiOkResponse({ standardSchema: Image })
  rebuild(@CurrentToken() token: ApiTokenRow, @Param('name', { schema: ImageName }) name: string): Promise<Image> {
    return this.images.rebuild(token.name, name);
  }

  @Delete(':name')
  @Needs('admin')
  @ApiOperation({ summary: 'Remove an image that no space uses' })
  @ApiOkResponse({ standardSchema: Image })
  remove(@CurrentToken() token: ApiTokenRow, @Param('name', { schema: ImageName }) name: string): Promise<Image> {
    return this.images.remove(token.name, name);
  }
}
