import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ApiClient } from '@aish/tests/support/api.client';
import { ServiceProcess, freePort } from '@aish/tests/support/service.process';

/** Starts an api with a database, without a model and a sandbox. @param dir the folder for its first token */
export async function startLoneApi(
  url: string,
  dir: string,
): Promise<{ readonly api: ServiceProcess; readonly client: ApiClient }> {
  const [port, nobody] = [await freePort(), await freePort()];
  const at = `http://127.0.0.1:${port}`;
  const env = {
    DATABASE_URL: url,
    SANDBOX_URL: `http://127.0.0.1:${nobody}`,
    SANDBOX_TOKEN: 'a'.repeat(48),
    FAST_BASE_URL: `http://127.0.0.1:${nobody}`,
    SAFETY_SECOND_OPINION: 'off',
    REQUESTS_PER_MINUTE: '100000',
    PORT: String(port),
    TOKEN_FILE: join(dir, 'token'),
  };
  const api = new ServiceProcess('api', 'services/api/dist/bundle/main.js', env, `${at}/v1/health`);
  await api.start();
  return { api, client: new ApiClient(at, (await readFile(join(dir, 'token'), 'utf8')).trim()) };
}
