import { Controller, Get, type INestApplication } from '@nestjs/common';
import { ApiExcludeEndpoint, DocumentBuilder, SwaggerModule, type OpenAPIObject } from '@nestjs/swagger';
import { VERSION } from '@aish/contracts';
import { Needs } from './needs.decorator.js';

/** The OpenAPI document, made once from the controllers and their zod schemas. */
export class OpenApiDocument {
  private document: OpenAPIObject | null = null;

  make(app: INestApplication): OpenAPIObject {
    const settings = new DocumentBuilder()
      .setTitle('aish')
      .setDescription('The api of aish. Errors are application/problem+json with a stable code.')
      .setVersion(VERSION)
      .addBearerAuth({ type: 'http', scheme: 'bearer', description: 'A token of aish: aish_…' })
      .build();
    this.document = SwaggerModule.createDocument(app, settings);
    return this.document;
  }

  get(): OpenAPIObject {
    if (this.document === null) throw new Error('OpenApiDocument: asked for before it was made');
    return this.document;
  }
}

@Controller('openapi.json')
export class OpenApiController {
  constructor(private readonly document: OpenApiDocument) {}

  @Get()
  @Needs('observe')
  @ApiExcludeEndpoint()
  get(): OpenAPIObject {
    return this.document.get();
  }
}
