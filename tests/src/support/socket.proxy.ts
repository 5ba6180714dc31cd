import { rm } from 'node:fs/promises';
import { createServer, request as ask, type IncomingMessage, type RequestOptions } from 'node:http';
import type { Duplex } from 'node:stream';

const ENGINE = '/var/run/docker.sock';

export interface SocketProxyRules {
  /** Regular expressions for whole paths, by method. */
  readonly allowed: Readonly<Record<string, readonly RegExp[]>>;
  /** The host folders that containers may mount. */
  readonly bindFrom: readonly string[];
}

export interface SocketProxy {
  /** The refused requests, as `METHOD path`. */
  readonly refused: readonly string[];
  /** The rules that allowed a request. */
  readonly used: ReadonlySet<string>;
  close(): Promise<void>;
}

/**
 * Filters requests to the engine's socket as wollomatic/socket-proxy does with the same rules, because its image is not
 * available everywhere. It returns 403 for every path that no rule matches completely, and for containers that mount
 * other host folders.
 */
export async function startSocketProxy(path: string, rules: SocketProxyRules): Promise<SocketProxy> {
  const refused: string[] = [];
  const used = new Set<string>();

  const allows = ({ method = '', url = '' }: IncomingMessage): boolean => {
    const pathname = url.split('?', 1)[0] ?? '';
    const rule = rules.allowed[method]?.find((each) => each.test(pathname));
    if (rule === undefined) refused.push(`${method} ${pathname}`);
    else used.add(`${method} ${rule.source}`);
    return rule !== undefined;
  };
  const onward = ({ method, url, headers }: IncomingMessage): RequestOptions => ({
    socketPath: ENGINE,
    ...(method === undefined ? {} : { method }),
    ...(url === undefined ? {} : { path: url }),
    headers,
  });

  const server = createServer((request, response) => {
    if (!allows(request)) return void response.writeHead(403).end('Forbidden');
    void (async () => {
      const body: Buffer[] = [];
      // Only requests that create containers must be read first.
      const isCreation = request.url?.includes('/containers/create') === true;
      if (isCreation) for await (const chunk of request) body.push(chunk as Buffer);
      const foreign = isCreation ? foreignBinds(Buffer.concat(body).toString(), rules.bindFrom) : [];
      if (foreign.length > 0) {
        refused.push(`mount of ${foreign.join(', ')}`);
        return void response.writeHead(403).end('Forbidden');
      }
      const asked = ask(onward(request), (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers);
        // Streams may begin without data.
        response.flushHeaders();
        answer.pipe(response);
      });
      asked.on('error', () => response.destroy());
      response.on('close', () => asked.destroy());
      if (isCreation) asked.end(Buffer.concat(body));
      else request.pipe(asked);
    })();
  });
  server.on('upgrade', (request: IncomingMessage, client: Duplex, head: Buffer) => {
    if (!allows(request)) return void client.end('HTTP/1.1 403 Forbidden\r\nconnection: close\r\n\r\n');
    const asked = ask(onward(request));
    const fail = () => client.destroy();
    asked.on('error', fail).on('response', fail);
    asked.on('upgrade', (answer, engine: Duplex, early: Buffer) => {
      const lines = Object.entries(answer.headers).map(([name, value]) => `${name}: ${String(value)}\r\n`);
      client.write(`HTTP/1.1 ${answer.statusCode} UPGRADED\r\n${lines.join('')}\r\n`);
      client.write(early);
      engine.write(head);
      engine.pipe(client).pipe(engine);
      engine.on('error', () => client.destroy());
      client.on('error', () => engine.destroy());
    });
    asked.end();
  });
  await new Promise<void>((resolve, reject) => void server.once('error', reject).listen(path, resolve));
  return {
    refused,
    used,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => void server.close(resolve));
      await rm(path, { force: true });
    },
  };
}

function foreignBinds(body: string, allowed: readonly string[]): string[] {
  const { HostConfig = {} } = JSON.parse(body) as {
    HostConfig?: { Binds?: string[] | null; Mounts?: { Type: string; Source?: string }[] | null };
  };
  const sources = [
    ...(HostConfig.Binds ?? []).map((bind) => bind.split(':', 1)[0] ?? '').filter((source) => source.startsWith('/')),
    ...(HostConfig.Mounts ?? []).filter(({ Type }) => Type === 'bind').map(({ Source }) => Source ?? ''),
  ];
  return sources.filter((source) => !allowed.some((folder) => source === folder || source.startsWith(`${folder}/`)));
}
