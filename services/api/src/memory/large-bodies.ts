import { MEMORY_IMPORT_MAX_CHARS } from '@aish/contracts/memory';
import { MEMORY_DOCUMENT_MAX_BYTES } from '@aish/contracts/memory-documents';
import { RUNBOOK_MAX_BYTES } from '@aish/contracts/runbooks';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';

/** These routes have larger body limits. JSON escapes may double the size of a text. */
const LIMITS: Readonly<Record<string, number>> = {
  '/v1/memory/documents/:scope': 2 * MEMORY_DOCUMENT_MAX_BYTES,
  '/v1/memory/documents/:scope/archives': 2 * 1_000_000,
  '/v1/memory/import': 2 * MEMORY_IMPORT_MAX_CHARS,
  '/v1/runbooks/:name': 2 * RUNBOOK_MAX_BYTES,
};

/** Raises the body limit of the memory's large routes. Must be called before the routes are created. */
export function acceptLargeMemories(app: NestFastifyApplication): void {
  app
    .getHttpAdapter()
    .getInstance()
    .addHook('onRoute', (route) => {
      const limit = LIMITS[route.url];
      if (limit !== undefined && (route.method === 'POST' || route.method === 'PUT')) route.bodyLimit = limit;
    });
}
