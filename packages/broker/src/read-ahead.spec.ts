import http from 'node:http';
import { afterEach, describe, expect, it } from '@jest/globals';
import { UNKNOWN_CAPABILITIES } from '@aish/contracts/models';
import { Asker } from './ask.js';
import { CapabilityStore } from './capability.store.js';
import { HttpBroker } from './http.broker.js';
import { TokenCounter } from './token.counter.js';
import { servedPreset } from './testing/served-preset.js';

let close = async (): Promise<void> => undefined;
afterEach(() => close());

/**
 * Starts a server with these slots; null for a server without slots. Returns the prompts that were answered, and those
 * that were read ahead.
 */
async function readAt(slots: readonly boolean[] | null, identity: string | null = 'this one') {
  const bodies: Record<string, unknown>[] = [];
  const server = http.createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (text: string) => (body += text));
    request.on('end', () => {
      if (request.url === '/slots' && slots !== null) {
        return void response.end(JSON.stringify(slots.map((busy) => ({ is_processing: busy }))));
      }
      if (request.method === 'GET') return void response.writeHead(404).end();
      bodies.push(JSON.parse(body) as Record<string, unknown>);
      const end = { choices: [{ index: 0, delta: { content: 'e' }, finish_reason: 'length' }] };
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.end(`data: ${JSON.stringify(end)}\n\ndata: [DONE]\n\n`);
    });
  });
  const served = await servedPreset(server);
  close = served.close;
  const { preset } = served;
  const broker = new HttpBroker();
  const known = { capabilities: async () => ({ ...UNKNOWN_CAPABILITIES, identity }), identity: async () => identity };
  const book = new CapabilityStore(known, { load: async () => null, save: async () => undefined }, () => undefined);
  const asker = new Asker(broker, book, new TokenCounter(broker));
  const messages = [{ role: 'user', content: 'hi' }] as const;
  const request = { preset, compose: () => ({ messages, tools: [] }) };
  return { wasRead: await asker.readAhead(request, new AbortController().signal), bodies };
}

describe('a question that is read ahead', () => {
  it('an idle llama-server reads a question ahead and writes nothing', async () => {
    const { wasRead, bodies } = await readAt([false, false]);
    expect(wasRead).toBe(true);
    expect(bodies).toMatchObject([{ messages: [{ content: 'hi' }], n_predict: 0 }]);
    expect(bodies[0]).not.toHaveProperty('max_tokens');
  });

  it.each([
    ['a server that is busy with another answer', [false, true], 'this one'],
    ['a server without slots', null, 'this one'],
    ['a server other than llama-server', [false], null],
  ] as const)('a question is not read ahead by %s', async (_, slots, identity) => {
    expect(await readAt(slots, identity)).toEqual({ wasRead: false, bodies: [] });
  });
});
