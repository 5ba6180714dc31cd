import { Controller, Get, Injectable, type Type } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import type { Endpoint } from '@aish/contracts/endpoint';
import { VERSION } from '@aish/contracts/health';
import { openApi, type OpenApi } from '@aish/contracts/open-api';
import { Needs } from './needs.decorator.js';
import { servedBy } from './serve.js';

/** Serves the OpenAPI document of the controllers, which is created at the first request. */
@Injectable()
export class OpenApiDocument {
  private document: OpenApi | null = null;

  constructor(private readonly discovery: DiscoveryService) {}

  get(): OpenApi {
    return (this.document ??= openApi(
      this.discovery
        .getControllers()
        .flatMap(({ metatype }): readonly Endpoint[] => (metatype === null ? [] : servedBy(metatype as Type))),
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
