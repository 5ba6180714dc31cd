import { beforeAll, describe, expect, it } from '@jest/globals';
import type { Broker, ChatChunk, ChatRequest } from '@aish/broker';
import { Presets, presetNamed, presetsOf } from '@aish/contracts/config/presets.settings';
import type { MemoryCaller } from '@aish/contracts/memory';
import { ReadDocument } from '@aish/contracts/memory-documents';
import { AishError } from '@aish/contracts/problems';
import type { Database } from '@aish/database/client';
import { openSuiteDatabase } from '@aish/database/testing/suite-database';
import { Compactor, headingsAndTail } from './compaction.js';
import { MemoryDocuments } from './documents.js';

const signal = () => AbortSignal.timeout(20_000);
const usage = { promptTokens: null, cachedTokens: null, completionTokens: null, promptMs: null, completionMs: null };

type FinishReason = Extract<ChatChunk, { type: 'end' }>['finishReason'];

/** A model endpoint that gives scripted answers. A test can run code before the answer arrives. */
class ScriptedBroker implements Pick<Broker, 'chat'> {
  answer: () => Promise<string> = () => Promise.resolve('## State\nshort');
  finishReason: FinishReason = 'stop';
  requests: ChatRequest[] = [];

  async *chat(request: ChatRequest): AsyncIterable<ChatChunk> {
    this.requests.push(request);
    yield { type: 'text', text: await this.answer() };
    yield { type: 'end', finishReason: this.finishReason, model: 'm', usage };
  }
}

describe('compaction', () => {
  let db: Database;
  let documents: MemoryDocuments;
  const broker = new ScriptedBroker();
  let compactor: Compactor;
  const text = (n: number) => `# Log ${n}\n${'a line of the past\n'.repeat(7_000)}## Config\nport: 3000\n`;
  const person = (owner: string): MemoryCaller => ({ owner, app: null });
  const read = (caller: MemoryCaller, path?: string) =>
    documents.read(caller, 'user', ReadDocument.parse(path === undefined ? {} : { path }));

  openSuiteDatabase((opened) => (db = opened));
  beforeAll(async () => {
    documents = new MemoryDocuments(db);
    compactor = new Compactor(db, documents, broker, presetNamed(presetsOf(Presets.parse({})), 'fast'));
  }, 120_000);

  it('compaction archives the old text first, and then replaces it by the model’s text', async () => {
    const me = person('plain');
    await documents.write(me, 'user', { mode: 'replace', content: text(1) });
    broker.answer = async () => {
      // The archive exists by now, but the document is still the old one.
      const { items } = await documents.list(me);
      expect(items[0]?.archives).toHaveLength(1);
      expect((await read(me)).text).toBe(text(1));
      return '```markdown\n## Config\nport: 3000\n```';
    };
    const done = await compactor.compact(me, 'user', undefined, signal());
    expect(done).toMatchObject({ by: 'model', version: 2, beforeBytes: Buffer.byteLength(text(1)) });
    expect((await read(me)).text).toBe(`<!-- compacted; before: ${done.archive} -->\n## Config\nport: 3000\n`);
    expect((await read(me, done.archive)).text).toBe(text(1));
  });

  it.each<[string, () => Promise<string>, FinishReason?]>([
    ['the model is unavailable', () => Promise.reject(new AishError('model_unreachable', 'away'))],
    ['the answer is empty', () => Promise.resolve(' ')],
    ['the answer is not a summary', () => Promise.resolve('Hello.')],
    ['the answer is longer than the document', () => Promise.resolve(`${text(2)}\n## Config\nport: 3000`)],
    [
      'the answer is longer than the limit',
      () => Promise.resolve(`# Log\n## Config\nport: 3000\n${'more\n'.repeat(10_000)}`),
    ],
    ['the answer is cut short', () => Promise.resolve('## Config\nport: 3000'), 'length'],
  ])('compaction falls back to headings and the last lines if %s', async (how, answer, finishReason = 'stop') => {
    broker.finishReason = finishReason;
    const me = person(how.replaceAll(' ', '-'));
    await documents.write(me, 'user', { mode: 'replace', content: text(2) });
    broker.answer = answer;
    const done = await compactor.compact(me, 'user', undefined, signal());
    broker.finishReason = 'stop';
    expect(done.by).toBe('fallback');
    const now = (await read(me)).text;
    expect(now).toContain('- Log 2\n  - Config');
    expect(now).toContain('port: 3000');
    expect(now.split('\n').length).toBeLessThan(120);
    expect((await read(me, done.archive)).text).toBe(text(2));
  });

  it('compaction keeps lines that were appended while it ran, and does not change a replaced document', async () => {
    const me = person('appender');
    await documents.write(me, 'user', { mode: 'replace', content: text(3) });
    broker.answer = async () => {
      await documents.write(me, 'user', { mode: 'append', content: 'just now' });
      return '## Config\nshort';
    };
    await compactor.compact(me, 'user', undefined, signal());
    expect((await read(me)).text).toMatch(
      /^<!-- compacted.*-->\n## Config\nshort\n\n<!-- .* by appender -->\njust now\n$/,
    );
    broker.answer = async () => {
      await documents.write(me, 'user', { mode: 'replace', content: 'my own words' });
      return '## Config\nshort';
    };
    expect(await compactor.compact(me, 'user', undefined, signal())).toMatchObject({ by: 'kept' });
    expect((await read(me)).text).toBe('my own words');
  });

  it('only one process compacts a document at a time, and only with permission', async () => {
    const me = person('busy');
    await documents.write(me, 'user', { mode: 'replace', content: text(4) });
    broker.answer = async () => {
      await expect(compactor.compact(me, 'user', undefined, signal())).rejects.toMatchObject({ code: 'locked' });
      return '## Config\nshort';
    };
    await compactor.compact(me, 'user', undefined, signal());
    const app: MemoryCaller = { owner: 'busy', app: { space: 'home', name: 'watcher' } };
    await expect(compactor.compact(app, 'space', undefined, signal())).rejects.toMatchObject({ code: 'forbidden' });
    await expect(compactor.compact(person('none'), 'user', undefined, signal())).rejects.toMatchObject({
      code: 'not_found',
    });
  });

  it('compaction reuses the archive of an interrupted compaction', async () => {
    const me = person('again');
    await documents.write(me, 'user', { mode: 'replace', content: text(5) });
    broker.answer = () => Promise.reject(new Error('killed here'));
    await expect(compactor.compact(me, 'user', undefined, signal())).rejects.toThrow('killed here');
    expect((await read(me)).text).toBe(text(5));
    broker.answer = () => Promise.resolve('## Config\nshort');
    await compactor.compact(me, 'user', undefined, signal());
    expect((await documents.list(me)).items[0]?.archives).toHaveLength(1);
  });

  it('only documents larger than 100 KB are compacted automatically', async () => {
    await documents.write(person('large'), 'user', { mode: 'replace', content: text(6) });
    await documents.write(person('small'), 'user', { mode: 'replace', content: 'x'.repeat(100 * 1024) });
    broker.answer = () => Promise.resolve('## Config\nshort');
    expect(await compactor.compactLarge(signal())).toHaveLength(1);
    expect((await read(person('large'))).text).toContain('short');
    expect((await read(person('small'))).version).toBe(1);
  });

  it('the fallback of compaction is limited in size for every kind of line', () => {
    expect(Buffer.byteLength(headingsAndTail('x'.repeat(1_000_000)))).toBeLessThan(64 * 1024);
    const headings = Array.from({ length: 50_000 }, (_, n) => `# ${n} ${'y'.repeat(200)}`).join('\n');
    expect(Buffer.byteLength(headingsAndTail(headings))).toBeLessThan(64 * 1024);
  });
});
