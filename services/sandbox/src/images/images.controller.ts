import { BuildImage, ImageName, type ImageBuild } from '@aish/contracts/images';
import { Body, Controller, Delete, Get, HttpCode, Param, Put } from '@nestjs/common';
import { z } from 'zod';
import { ImageBuilder } from './image.builder.js';

const Id = z.uuid().toLowerCase();

@Controller('v1/images')
export class ImagesController {
  constructor(private readonly builder: ImageBuilder) {}

  /** Starts a build, and answers without waiting for its end. */
  @Put('builds/:build')
  @HttpCode(202)
  async begin(
    @Param('build', { schema: Id }) build: string,
    @Body({ schema: BuildImage }) body: BuildImage,
  ): Promise<void> {
    await this.builder.begin(build, body);
  }

  @Get('builds/:build')
  state(@Param('build', { schema: Id }) build: string): Promise<ImageBuild> {
    return this.builder.state(build);
  }

  @Delete('named/:name')
  @HttpCode(204)
  remove(@Param('name', { schema: ImageName }) name: string): Promise<void> {
    return this.builder.remove(name);
  }
}
