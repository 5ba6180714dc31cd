import { mkdtempSync, readdirSync, utimesSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text as textOf } from 'node:stream/consumers';
import { AishError } from '@aish/contracts/problems';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { RunOutput } from '../runs/run-output.js';
import { OutputStore } from './output.store.js';

const KEPT = 1_024;
const WORKSPACE = '00000000-0000-4000-8000-00000000000a';
const runId = (n: number) => `00000000-0000-4000-8000-00000000000${n}`;

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'outputs-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const storeOf = (oneMaxBytes = 10_000, allMaxBytes = 100_000) => new OutputStore(folder, { oneMaxBytes, allMaxBytes });

/** Simulates a run that prints the text and ends. */
function print(store: OutputStore, id: string, text: string, errors: unknown[] = []): RunOutput {
  const whole = store.writer(WORKSPACE, id, (error) => errors.push(error));
  const output = new RunOutput({ keptMaxBytes: KEPT, streamedMaxBytes: KEPT }, undefined, whole);
  for (let at = 0; at < text.length; at += 100)
    output.take({ stream: 'stdout', bytes: Buffer.from(text.slice(at, at + 100)) });
  return output;
}

async function read(store: OutputStore, id: string): Promise<{ text: string; omittedBytes: number }> {
  const { body, omittedBytes } = await store.open(WORKSPACE, id);
  return { text: await textOf(body), omittedBytes };
}

const notFound = expect.objectContaining({ code: 'not_found' });
const numbered = (lines: number) => Array.from({ length: lines }, (_, at) => `é ${at + 1}\n`).join('');

describe('long outputs', () => {
  it('long outputs are stored as files, and short ones stay only in the outcome', async () => {
    const store = storeOf();
    for (const [n, lines] of [60, 500].entries()) print(store, runId(n), numbered(lines)).result();
    await expect(store.open(WORKSPACE, runId(0))).rejects.toEqual(notFound);
    expect(await read(store, runId(1))).toEqual({ text: numbered(500), omittedBytes: 0 });
  });

  it('an output that is too long is stored with its beginning and end, and an output that fits is stored completely', async () => {
    const store = storeOf(2_001);
    const text = numbered(2_000);
    print(store, runId(1), text).result();
    const { text: kept, omittedBytes } = await read(store, runId(1));
    const [head = '', tail = ''] = kept.split('\n…\n');
    expect(text.startsWith(head)).toBe(true);
    expect(text.endsWith(tail)).toBe(true);
    expect(Buffer.byteLength(head) + Buffer.byteLength(tail) + omittedBytes).toBe(Buffer.byteLength(text));
    const bit = numbered(310);
    expect(Buffer.byteLength(bit)).toBeGreaterThan(2_001);
    print(store, runId(2), bit).result();
    expect(await read(store, runId(2))).toEqual({ text: bit, omittedBytes: 0 });
  });

  it('a stored output is replaced if the output is read again after an interruption', async () => {
    const store = storeOf();
    const output = print(store, runId(1), numbered(400));
    output.interrupt(new AishError('sandbox_interrupted', 'broke'));
    output.take({ stream: 'stdout', bytes: Buffer.from(numbered(500)) });
    output.result();
    output.result();
    expect(await read(store, runId(1))).toEqual({ text: numbered(500), omittedBytes: 0 });
  });

  it('a run is not affected if its output cannot be stored', () => {
    const errors: unknown[] = [];
    writeFileSync(join(folder, 'file'), '');
    const nowhere = new OutputStore(join(folder, 'file', 'outputs'), { oneMaxBytes: 10_000, allMaxBytes: 0 });
    expect(print(nowhere, runId(1), numbered(500), errors).result().omittedBytes).toBeGreaterThan(0);
    expect(errors).toHaveLength(1);
  });

  it('the store removes the oldest outputs and those of removed workspaces, and stores none if it is off', async () => {
    const store = storeOf(10_000, 8_000);
    for (const n of [1, 2, 3]) {
      print(store, runId(n), numbered(500)).result();
      utimesSync(join(folder, WORKSPACE, `${runId(n)}.0`), n, n);
    }
    await store.sweep();
    await expect(store.open(WORKSPACE, runId(1))).rejects.toEqual(notFound);
    await store.handOn(WORKSPACE, runId(2), runId(4));
    expect((await read(store, runId(4))).text).toBe(numbered(500));
    await expect(store.open(WORKSPACE, runId(2))).rejects.toEqual(notFound);
    await store.remove(WORKSPACE);
    await expect(store.open(WORKSPACE, runId(4))).rejects.toEqual(notFound);
    print(storeOf(0), runId(5), numbered(500)).result();
    expect(readdirSync(folder)).toEqual([]);
  });
});
