import { AishError } from '@aish/contracts/problems';
import type { RunFrame } from '@aish/contracts/runs';
import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import type { StreamName } from '../engine/frame-splitter.js';
import type { FrameQueue } from './frame-queue.js';
import { RunOutput } from './run-output.js';

const limits = { keptMaxBytes: 1024, streamedMaxBytes: 4096 };
const never = new AbortController().signal;
const end: RunFrame = { type: 'error', problem: { code: 'internal' } };

async function readAll(queue: FrameQueue): Promise<RunFrame[]> {
  const frames: RunFrame[] = [];
  for await (const frame of queue.read(never)) frames.push(frame);
  return frames;
}

const textOf = (frames: readonly RunFrame[], stream?: StreamName) =>
  frames.map((f) => (f.type === 'output' && (stream === undefined || f.stream === stream) ? f.text : '')).join('');

describe('RunOutput', () => {
  it('RunOutput replaces a secret with a placeholder, in any form and however the output is split', () => {
    const secret = { name: 'PASS', value: 'p4ss/word+here', placeholder: 'aish-secret-x', targets: [], body: false, certificate: null, exposed: true }; // prettier-ignore
    const base64 = Buffer.from(secret.value).toString('base64');
    const printed = `a ${secret.value} b ${base64} c ${encodeURIComponent(secret.value)} d`;
    for (let size = 1; size < printed.length; size += 1) {
      const output = new RunOutput(limits);
      output.conceal([secret]);
      for (let at = 0; at < printed.length; at += size) {
        output.take({ stream: 'stdout', bytes: Buffer.from(printed.slice(at, at + size)) });
      }
      const { text } = output.result();
      expect(text).toMatch(/^a aish-secret-x b aish-secret-x\S* c aish-secret-x d$/);
      expect(output.connections.admit({ host: `${secret.value}.Evil.lan`, port: 443, allowed: true, reason: 'listed' })).toMatchObject({ host: 'a-name-that-holds-a-secret', allowed: false }); // prettier-ignore
    }
  });

  it('RunOutput decodes each stream separately, wherever the bytes are split', async () => {
    const text = fc.string({ unit: 'binary', maxLength: 30 });
    await fc.assert(
      fc.asyncProperty(text, text, fc.array(fc.nat(3), { minLength: 1 }), async (out, err, cuts) => {
        const output = new RunOutput(limits);
        const queue = output.listen();
        const rest: Record<StreamName, Buffer> = { stdout: Buffer.from(out), stderr: Buffer.from(err) };
        for (let i = 0; rest.stdout.length + rest.stderr.length > 0; i++) {
          const stream = i % 2 === 0 ? 'stdout' : 'stderr';
          const size = (cuts[i % cuts.length] ?? 0) + 1;
          output.take({ stream, bytes: rest[stream].subarray(0, size) });
          rest[stream] = rest[stream].subarray(size);
        }
        expect(output.result().omittedBytes).toBe(0);
        output.end(end);
        const frames = await readAll(queue);
        expect([textOf(frames, 'stdout'), textOf(frames, 'stderr'), frames.at(-1)]).toEqual([out, err, end]);
      }),
    );
  });

  it('RunOutput turns invalid bytes into U+FFFD, even at the end', () => {
    const output = new RunOutput(limits);
    output.take({ stream: 'stdout', bytes: Buffer.from([0x61, 0xff, 0x62, 0xe2, 0x82]) });
    expect(output.result()).toEqual({ text: 'a\ufffdb\ufffd', omittedBytes: 0 });
  });

  it('RunOutput sends a late listener the earlier output first, even after the run has ended', async () => {
    const output = new RunOutput(limits);
    output.take({ stream: 'stdout', bytes: Buffer.from('one ') });
    output.take({ stream: 'stderr', bytes: Buffer.from('two ') });
    const late = output.listen();
    output.take({ stream: 'stderr', bytes: Buffer.from('three') });
    output.end(end);
    expect(await readAll(late)).toEqual([
      { type: 'output', stream: 'stdout', text: 'one two ' },
      { type: 'output', stream: 'stderr', text: 'three' },
      end,
    ]);
    expect(await readAll(output.listen())).toEqual([{ type: 'output', stream: 'stdout', text: 'one two three' }, end]);
  });

  it('RunOutput streams no more than its limit, and merges output that a slow listener has not read', async () => {
    const output = new RunOutput(limits);
    const queue = output.listen();
    for (let i = 0; i < 10_000; i++) output.take({ stream: 'stdout', bytes: Buffer.from('x') });
    output.end(end);
    expect(await readAll(queue)).toEqual([{ type: 'output', stream: 'stdout', text: 'x'.repeat(4096) }, end]);
    expect(output.result()).toMatchObject({ omittedBytes: 10_000 - (1024 - 5) });
  });

  it('RunOutput sends its listeners an error after an interruption, and starts over', async () => {
    const output = new RunOutput(limits);
    const before = output.listen();
    output.take({ stream: 'stdout', bytes: Buffer.from('lost sight of') });
    output.interrupt(new AishError('sandbox_interrupted', 'broke'));
    const after = output.listen();
    output.take({ stream: 'stdout', bytes: Buffer.from('read again') });
    output.end(end);
    expect((await readAll(before)).at(-1)).toMatchObject({ type: 'error', problem: { code: 'sandbox_interrupted' } });
    expect(textOf(await readAll(after))).toBe('read again');
  });

  it('a reader of RunOutput ends when its signal aborts', async () => {
    const gone = new AbortController();
    const reading = new RunOutput(limits).listen().read(gone.signal).next();
    gone.abort();
    expect(await reading).toEqual({ done: true, value: undefined });
  });
});
