import type http from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Preset } from '@aish/contracts/config/presets.settings';

/** Starts the server. Returns the preset that asks it, and a function that closes it. */
export async function servedPreset(server: http.Server): Promise<{ preset: Preset; close: () => Promise<void> }> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const preset: Preset = {
    name: 'fast',
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    model: null,
    temperature: null,
    maxTokens: 64,
    apiKey: null,
    connectTimeoutMs: 5_000,
    idleTimeoutMs: 5_000,
    totalTimeoutMs: 20_000,
  };
  const close = async (): Promise<void> => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  return { preset, close };
}
