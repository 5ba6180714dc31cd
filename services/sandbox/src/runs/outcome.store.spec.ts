import { randomUUID } from 'node:crypto';
import { mkdtemp, readdir, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { CANCELLED_IN_QUEUE } from './outcome.js';
import { OutcomeStore } from './outcome.store.js';

let folder: string;
let store: OutcomeStore;
beforeEach(async () => {
  folder = join(await mkdtemp(join(tmpdir(), 'aish-store-')), 'state');
  store = new OutcomeStore(folder);
  await store.open();
});
afterEach(async () => {
  await rm(join(folder, '..'), { recursive: true, force: true });
});

describe('OutcomeStore', () => {
  it('OutcomeStore remembers outcomes across restarts, and only their owner can read the files', async () => {
    const [a, b, c] = [randomUUID(), randomUUID(), randomUUID()];
    await store.write(a, { state: 'starting' });
    await store.write(a, { state: 'ended', outcome: CANCELLED_IN_QUEUE });
    await store.write(b, { state: 'lost' });
    await store.write(c, { state: 'starting' });
    const again = new OutcomeStore(folder);
    await again.open();
    expect(again.find(a)).toEqual({ state: 'ended', outcome: CANCELLED_IN_QUEUE });
    expect(again.find(b)).toEqual({ state: 'lost' });
    expect(await again.unfinished()).toEqual([c]);
    await again.forget(c);
    expect([again.find(c), again.find(randomUUID())]).toEqual([null, null]);
    expect((await stat(join(folder, `${a}.json`))).mode & 0o777).toBe(0o600);
  });

  it('OutcomeStore drops half-written files, and reports an unreadable file as lost, never as unknown', async () => {
    const [half, broken] = [randomUUID(), randomUUID()];
    await writeFile(join(folder, `${half}.json.tmp`), '{"state":"en');
    await writeFile(join(folder, `${broken}.json`), '{"state":"en');
    await store.open();
    expect(await readdir(folder)).toEqual([`${broken}.json`]);
    expect(store.find(broken)).toEqual({ state: 'lost' });
  });

  it('OutcomeStore prunes old final outcomes', async () => {
    const [old, young, unfinished] = [randomUUID(), randomUUID(), randomUUID()];
    await store.write(old, { state: 'lost' });
    await store.write(young, { state: 'lost' });
    await store.write(unfinished, { state: 'starting' });
    const yesterday = new Date(Date.now() - 86_400_000);
    for (const runId of [old, unfinished]) await utimes(join(folder, `${runId}.json`), yesterday, yesterday);
    expect(await store.prune(3_600_000)).toBe(1);
    expect([old, young, unfinished].map((runId) => store.find(runId)?.state)).toEqual([undefined, 'lost', 'starting']);
  });
});
