import { createHash } from 'node:crypto';
import http from 'node:http';
import type { Preset } from '@aish/contracts/config/presets.settings';
import { UNKNOWN_CAPABILITIES } from '@aish/contracts/models';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { CapabilityStore } from './capability.store.js';
import { identityOf } from './find-capabilities.js';
import { servedPreset } from './testing/served-preset.js';

const signal = new AbortController().signal;
let template = '{{ messages }}';
let preset: Preset;
let close: () => Promise<void>;

beforeAll(async () => {
  const server = http.createServer((_, response) =>
    response.end(JSON.stringify({ model_path: '/m.gguf', chat_template: template })),
  );
  ({ preset, close } = await servedPreset(server));
});
afterAll(() => close());

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
