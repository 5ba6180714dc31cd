import { once } from 'node:events';
import { createServer, request as ask } from 'node:http';

/** A reverse proxy that removes a path, as docs/web.md describes. */
export interface PathProxy {
  /** The requests outside the proxy's path. */
  readonly strays: readonly string[];
  close(): Promise<unknown>;
}

/** @param keepsHost whether the api gets the browser's Host, as behind Caddy, or its own, as behind nginx by default */
export async function startPathProxy({
  to,
  path,
  port,
  keepsHost,
}: {
  readonly to: string;
  readonly path: string;
  readonly port: number;
  readonly keepsHost: boolean;
}): Promise<PathProxy> {
  const strays: string[] = [];
  const server = createServer((request, response) => {
    const { url = '/', method, headers } = request;
    if (!url.startsWith(`${path}/`)) {
      if (!url.startsWith('/favicon')) strays.push(url);
      response.writeHead(404).end();
      return;
    }
    const host = keepsHost ? headers.host : new URL(to).host;
    const onward = ask(`${to}${url.slice(path.length)}`, { method, headers: { ...headers, host } }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    onward.on('error', () => response.destroy());
    response.on('close', () => onward.destroy());
    request.pipe(onward);
  }).listen(port, '127.0.0.1');
  await once(server, 'listening');
  return { strays, close: () => new Promise((resolve) => server.close(resolve).closeAllConnections()) };
}
