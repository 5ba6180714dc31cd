import { createServer } from 'node:net';
import { AishError } from '@aish/contracts/problems';

/** Whether a server could listen there now. */
export function isFree(port: number, host = '127.0.0.1'): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, host, () => server.close(() => resolve(true)));
  });
}

/** `count` different free ports. Nothing reserves them, so their users have to listen soon. */
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
        if (address === null || typeof address === 'string') throw new AishError('internal', 'No free port');
        return address.port;
      }),
    );
  } finally {
    // All at once and only now, so that no port is given twice.
    await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  }
}
