import { createHash } from 'node:crypto';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Preset } from '@aish/contracts/config/presets.settings';
import { UNKNOWN_CAPABILITIES } from '@aish/contracts/models';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { CapabilityStore } from './capability.store.js';
import { identityOf } from './find-capabilities.js';

const signal = new AbortController().signal;
let template = '{{ messages }}';
let server: http.Server;
let preset: Preset;

beforeAll(async () => {
  server = http.createServer((_, response) =>
    response.end(JSON.stringify({ model_path: '/m.gguf', chat_template: template })),
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  preset = {
    name: 'fast',
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    model: null,
    temperature: 0,
    maxTokens: 16,
    apiKey: null,
    connectTimeoutMs: 5_000,
    idleTimeoutMs: 5_000,
    totalTimeoutMs: 5_000,
  };
});

afterAll(() => {
  server.closeAllConnections();
  return new Promise((resolve) => server.close(resolve));
});

it('the next question notices a new template of a model server, and a note names both versions', async () => {
  const identity = (of: Preset) => identityOf(of, signal);
  const capabilities = async (of: Preset) => ({
    ...UNKNOWN_CAPABILITIES,
    model: 'm',
    template: createHash('sha256').update(template).digest('base64url'),
    identity: await identity(of),
  });
  const store = { load: async () => null, save: async () => undefined };
  const book = new CapabilityStore({ capabilities, identity }, store, () => undefined, 0);
  expect((await book.of(preset, signal)).notes).toEqual([]);
  template = '{{ messages }} Leave the warnings out.';
  expect((await book.of(preset, signal)).notes).toEqual([
    expect.stringMatching(/^m now has a different template: \S{8} instead of \S{8}$/),
  ]);
});
