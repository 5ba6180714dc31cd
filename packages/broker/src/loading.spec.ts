import http from 'node:http';
import { afterEach, describe, expect, it } from '@jest/globals';
import { UNKNOWN_CAPABILITIES } from '@aish/contracts/models';
import type { ChatChunk } from './broker.port.js';
import { HttpBroker } from './http.broker.js';
import { percentOf } from './loading.js';
import { servedPreset } from './testing/served-preset.js';

/** Makes a frame like those of llama-server b11669. */
const frame = (value: number, current = 'text_model', stages = ['text_model'], model = 'm') =>
  JSON.stringify({ model, event: 'status_change', data: { status: 'loading', progress: { stages, current, value } } });

let close = async (): Promise<void> => undefined;
afterEach(() => close());

describe('loading progress of a model', () => {
  it('loading progress is the share of all stages of the requested model', () => {
    const stages = ['text_model', 'mmproj_model'];
    expect(percentOf(frame(0.4), 'm')).toBe(40);
    expect(percentOf(frame(0.5, 'mmproj_model', stages), 'm')).toBe(75);
    expect(percentOf(frame(0.4, 'text_model', stages, 'other'), 'm')).toBeNull();
    for (const other of ['no json', '{"model":"m","data":{"status":"loaded"}}', 'null']) {
      expect(percentOf(other, 'm')).toBeNull();
    }
  });

  it('loading progress is reported while the answer waits for the model', async () => {
    const asked: string[] = [];
    let answer = (): void => undefined;
    const server = http.createServer((request, response) => {
      request.resume();
      asked.push(request.url ?? '');
      if (request.url === '/models/sse') {
        response.writeHead(200, { 'content-type': 'text/event-stream' }).write(`data: ${frame(0.4)}\n\n`);
        return;
      }
      const end = { choices: [{ index: 0, delta: { content: 'ready' }, finish_reason: 'stop' }] };
      answer = () => {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        response.end(`data: ${JSON.stringify(end)}\n\ndata: [DONE]\n\n`);
      };
    });
    const served = await servedPreset(server);
    close = served.close;
    const preset = { ...served.preset, model: 'm' };
    const request = { preset, messages: [], capabilities: { ...UNKNOWN_CAPABILITIES, loads: true } };
    const chunks: ChatChunk[] = [];
    for await (const chunk of new HttpBroker().chat(request, new AbortController().signal)) {
      chunks.push(chunk);
      if (chunk.type === 'retry') answer();
    }
    expect(chunks).toMatchObject([
      { type: 'retry', reason: 'loading', percent: 40 },
      { type: 'text', text: 'ready' },
      { type: 'end' },
    ]);
    expect(asked).toEqual(['/v1/chat/completions', '/models/sse']);
  });
});
