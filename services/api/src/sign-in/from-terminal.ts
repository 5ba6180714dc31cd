import { AishError } from '@aish/contracts/problems';
import type { FastifyRequest } from 'fastify';

/**
 * Refuses requests that come from a web page. Web pages can make a browser post here, but browsers then name the page.
 * @throws AishError `forbidden`
 */
export function fromTerminal({ headers }: FastifyRequest): void {
  if (headers.origin !== undefined) throw new AishError('forbidden', 'Only terminals can sign in here, not web pages');
}
