import { Controller, Get, type Type } from '@nestjs/common';
import type { Endpoint } from '@aish/contracts/endpoint';
import { VERSION } from '@aish/contracts/health';
import { openApi, type OpenApi } from '@aish/contracts/open-api';
import { Needs } from './needs.decorator.js';
import { servedBy } from './serve.js';

/** The OpenAPI document of what some controllers serve, made when somebody first asks for it. */
export class OpenApiDocument {
  private document: OpenApi | null = null;

  constructor(private readonly controllers: readonly Type[]) {}

  get(): OpenApi {
    return (this.document ??= openApi(
      this.controllers.flatMap((each): readonly Endpoint[] => servedBy(each)),
      VERSION,
    ));
  }
}

@Controller('openapi.json')
export class OpenApiController {
  constructor(private readonly document: OpenApiDocument) {}

  @Get()
  @Needs('observe')
  get(): OpenApi {
    return this.document.get();
  }
}
