import { createServer } from 'node:net';
import { AishError } from '@aish/contracts/problems';

/** Returns whether a server could listen on a port now. */
export function isFree(port: number, host = '127.0.0.1'): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, host, () => server.close(() => resolve(true)));
  });
}

/** Returns `count` different free ports. Nothing reserves them, so their users must listen soon. */
export async function freePorts(count: number, host = '127.0.0.1'): Promise<readonly number[]> {
  const servers = Array.from({ length: count }, () => createServer());
  try {
    return await Promise.all(
      servers.map(async (server) => {
        await new Promise<void>((resolve, reject) => {
          server.once('error', reject);
          server.listen(0, host, resolve);
        });
        const address = server.address();
        if (address === null || typeof address === 'string')
          throw new AishError('internal', 'There is no free port on this machine');
        return address.port;
      }),
    );
  } finally {
    // All servers are closed together at the end, so that no port occurs twice.
    await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  }
}
