import { AishError } from '@aish/contracts/problems';
import type { FastifyRequest } from 'fastify';

/** Web pages can make a browser post here, and browsers say which page it was. @throws AishError `forbidden` */
export function fromTerminal({ headers }: FastifyRequest): void {
  if (headers.origin !== undefined) throw new AishError('forbidden', 'Terminals sign in, web pages do not');
}
