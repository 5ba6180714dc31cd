import { Controller, Get, type INestApplication } from '@nestjs/common';
import { ApiExcludeEndpoint, DocumentBuilder, SwaggerModule, type OpenAPIObject } from '@nestjs/swagger';
import { VERSION } from '@aish/contracts/health';
import { invariant } from '@aish/contracts/invariant';
import { Needs } from './needs.decorator.js';

/** The OpenAPI document, made from the controllers and their zod schemas when somebody first asks for it. */
export class OpenApiDocument {
  private app: INestApplication | null = null;
  private document: OpenAPIObject | null = null;

  describe(app: INestApplication): void {
    this.app = app;
  }

  get(): OpenAPIObject {
    invariant(this.app !== null, 'the API is described once there is an application');
    return (this.document ??= make(this.app));
  }
}

function make(app: INestApplication): OpenAPIObject {
  const settings = new DocumentBuilder()
    .setTitle('aish')
    .setDescription('The api of aish. Errors are application/problem+json with a stable code.')
    .setVersion(VERSION)
    .addBearerAuth({ type: 'http', scheme: 'bearer', description: 'A token of aish: aish_…' })
    .build();
  return SwaggerModule.createDocument(app, settings);
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
