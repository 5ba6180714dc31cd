import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Secret } from '@aish/contracts/secrets';
import { Space } from '@aish/contracts/spaces';
import type { Stack } from '@aish/tests/support/stack';
import { sized } from './benchmark.js';
import { percentile } from './statistics.js';

const run = promisify(execFile);
const REQUESTS = sized(40, 3);
const LARGE_BYTES = sized(100, 4) * 2 ** 20;
/** The space whose commands get the secret. */
export const SPACE = 'requests';

/** One server on two ports. A secret goes to the first port, so its TLS is terminated. The second port is tunnelled. */
export class TwoPorts {
  private constructor(
    private readonly servers: readonly [Server, Server],
    private readonly certificate: string,
  ) {}

  static async open(dir: string): Promise<TwoPorts> {
    const [key, cert] = [join(dir, 'key.pem'), join(dir, 'cert.pem')];
    const kind = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-subj', '/CN=bench'];
    await run('openssl', ['req', '-x509', '-days', '2', '-keyout', key, '-out', cert, ...kind]);
    const identity = { key: await readFile(key), cert: await readFile(cert) };
    const large = Buffer.alloc(LARGE_BYTES, 'x');
    const open = () =>
      createServer(identity, ({ url }, response) => void response.end(url === '/large' ? large : 'small'));
    const servers = [open(), open()] as const;
    for (const server of servers) await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return new TwoPorts(servers, await readFile(cert, 'utf8'));
  }

  private get ports(): readonly [number, number] {
    const port = (server: Server) => (server.address() as AddressInfo).port;
    return [port(this.servers[0]), port(this.servers[1])];
  }

  async give({ client }: Stack): Promise<void> {
    const [ended] = this.ports;
    const body = { value: 'the-value-of-this-benchmark', targets: [{ host: '127.0.0.1', port: ended }] };
    await client.json(Secret, 'PUT', '/v1/secrets/BENCH_TOKEN', { ...body, certificate: this.certificate });
    const rules = [{ host: '127.0.0.1', ports: [...this.ports], private: true }];
    await client.json(Space, 'PATCH', `/v1/spaces/${SPACE}`, {
      network: { mode: 'allow', rules },
      secrets: ['BENCH_TOKEN'],
    });
  }

  /** Returns a shell command that alternates between the ports, so that other load affects both. */
  get command(): string {
    const ask = (port: number, path: string, what: string) =>
      `curl -sSk --noproxy '' -o /dev/null -w '${what}\\n' -H "Authorization: Bearer $BENCH_TOKEN" https://127.0.0.1:${port}${path}`;
    const [ended, tunnelled] = this.ports;
    const small = `for i in $(seq ${REQUESTS}); do ${ask(ended, '/', 'ended %{time_total}')}; ${ask(tunnelled, '/', 'tunnelled %{time_total}')}; done`;
    const large = `for i in 1 2 3; do ${ask(ended, '/large', 'ended-large %{time_total}')}; ${ask(tunnelled, '/large', 'tunnelled-large %{time_total}')}; done`;
    return `${small}; ${large}`;
  }

  async close(): Promise<void> {
    for (const server of this.servers) {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    }
  }
}

/** Parses the output of the command. */
export function httpsFigures(output: string): Readonly<Record<string, number>> {
  const of = (name: string) =>
    output
      .split('\n')
      .filter((line) => line.startsWith(`${name} `))
      .map((line) => Number(line.slice(name.length + 1)) * 1000);
  const [ended, tunnelled] = [percentile(of('ended'), 0.5), percentile(of('tunnelled'), 0.5)];
  const mbPerS = (name: string) => LARGE_BYTES / 1e6 / (percentile(of(name), 0.5) / 1000);
  return {
    https_tunnelled_p50_ms: tunnelled,
    https_ended_p50_ms: ended,
    https_added_p50_ms: ended - tunnelled,
    https_tunnelled_mb_per_s: mbPerS('tunnelled-large'),
    https_ended_mb_per_s: mbPerS('ended-large'),
    https_throughput_ratio: mbPerS('ended-large') / mbPerS('tunnelled-large'),
  };
}
