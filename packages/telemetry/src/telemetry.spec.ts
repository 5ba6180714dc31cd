import { afterEach, describe, expect, it } from '@jest/globals';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { inSpan, measured, observe, startTelemetry, type Telemetry } from './index.js';

let telemetry: Telemetry | undefined;
let collector: Server | undefined;

afterEach(async () => {
  await telemetry?.shutdown();
  telemetry = undefined;
  await new Promise<void>((resolve) => {
    if (collector === undefined) resolve();
    else collector.close(() => resolve());
  });
  collector = undefined;
});

/** Starts a collector that records the data that it receives, by path. */
async function startCollector(): Promise<{ url: string; got: Map<string, string> }> {
  const got = new Map<string, string>();
  collector = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString('latin1')));
    request.on('end', () => {
      got.set(request.url ?? '', (got.get(request.url ?? '') ?? '') + body);
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
    });
  });
  await new Promise<void>((resolve) => void collector?.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${(collector.address() as AddressInfo).port}`, got };
}

describe('telemetry', () => {
  // There is only one test, because a process creates its instruments only once, as in a service.
  it('telemetry exports metrics and spans to Prometheus and the endpoint, even if one gauge is broken', async () => {
    const { url, got } = await startCollector();
    telemetry = await startTelemetry({ service: 'test', version: '1.2.3', otlpEndpoint: `${url}/` });
    const errors: unknown[] = [];
    observe(
      'aish.queue.depth',
      'Goals that wait',
      async () => [{ value: 3, labels: { state: 'queued' } }],
      () => {},
    );
    observe(
      'aish.broken',
      'Never readable',
      () => Promise.reject(new Error('away')),
      (error) => errors.push(error),
    );
    measured.firstToken.record(0.2, { preset: 'fast' });
    measured.errors.add(1, { code: 'locked' });

    const text = await telemetry.prometheus();
    expect(text).toContain('aish_queue_depth{state="queued"');
    expect(text).toMatch(/gen_ai_server_time_to_first_token_bucket\{[^}]*preset="fast"[^}]*le="0.25"[^}]*\} 1/);
    expect(text).toMatch(/aish_errors_total\{[^}]*code="locked"[^}]*\} 1/);
    expect(text).not.toContain('aish_broken{');
    expect(errors).toHaveLength(1);

    expect(await inSpan('step', { n: 1 }, async () => 7)).toBe(7);
    const failed = Object.assign(new Error('secret words'), { code: 'locked' });
    await expect(inSpan('step', {}, () => Promise.reject(failed))).rejects.toBe(failed);
    await telemetry.shutdown();
    expect(got.get('/v1/traces')).toContain('step');
    expect(got.get('/v1/traces')).toContain('locked');
    expect(got.get('/v1/traces')).not.toContain('secret words');
    expect(got.get('/v1/metrics')).toContain('gen_ai.server.time_to_first_token');
  });

  it('telemetry shuts down even if the endpoint is unavailable', async () => {
    telemetry = await startTelemetry({ service: 'test', version: '1', otlpEndpoint: 'http://127.0.0.1:9' });
    await inSpan('step', {}, async () => undefined);
    await expect(telemetry.shutdown()).resolves.toBeUndefined();
  }, 20_000);
});
