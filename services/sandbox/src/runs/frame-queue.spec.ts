import { describe, expect, it } from '@jest/globals';
import type { RunFrame } from '@aish/contracts/runs';
import { FrameQueue } from './frame-queue.js';

const never = new AbortController().signal;
const text = (value: string, stream: 'stdout' | 'stderr' = 'stdout'): RunFrame => ({
  type: 'output',
  stream,
  text: value,
});

async function drain(queue: FrameQueue, signal = never): Promise<RunFrame[]> {
  const frames: RunFrame[] = [];
  for await (const frame of queue.read(signal)) frames.push(frame);
  return frames;
}

describe('the queue of frames for a listener', () => {
  it('FrameQueue merges waiting frames of one stream up to a size', async () => {
    const queue = new FrameQueue();
    for (const piece of ['a', 'b']) queue.push(text(piece));
    queue.push(text('e', 'stderr'));
    queue.push(text('c'));
    queue.push(text('x'.repeat(16_384)));
    queue.close();
    const frames = await drain(queue);
    expect(frames.map((frame) => (frame.type === 'output' ? frame.text.slice(0, 2) : ''))).toEqual([
      'ab',
      'e',
      'c',
      'xx',
    ]);
  });

  it('FrameQueue drops output frames beyond its limit, but keeps the error frame', async () => {
    const queue = new FrameQueue();
    for (let n = 0; n < 10_000; n += 1) queue.push(text('x', n % 2 === 0 ? 'stdout' : 'stderr'));
    queue.push({ type: 'error', problem: { code: 'run_lost' } });
    queue.close();
    const frames = await drain(queue);
    expect([frames.length, frames.at(-1)?.type]).toEqual([4_097, 'error']);
  });

  it('FrameQueue returns the frames in order until the reader stops', async () => {
    const queue = new FrameQueue();
    const gone = new AbortController();
    const reading = drain(queue, gone.signal);
    queue.push(text('a'));
    await new Promise((resolve) => setImmediate(resolve));
    gone.abort();
    expect(await reading).toEqual([text('a')]);
  });
});
