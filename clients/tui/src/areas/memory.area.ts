import { candidatesApi, memoryApi } from '@aish/contracts/endpoints/memory';
import type { MemoryCandidate, MemoryItem } from '@aish/contracts/memory';
import { formatAge, formatMoment } from '@aish/views/duration.format';
import { NOT_SAID } from '@aish/views/memory.format';
import type { Row } from '../view-state.js';
import { span } from '@aish/views/line';
import { oneLine } from '@aish/views/sanitise';
import type { AreaSource } from './area.js';

const LIMIT = 500;

/** Proposals of models, and below them the remembered items. */
export const memoryArea: AreaSource = {
  async rows(client, filter, signal) {
    const nowMs = Date.now();
    if (filter !== '') {
      const hits = await client.call(memoryApi.search, { query: { q: filter, limit: 100 } }, signal);
      return hits.items.map((item) => itemRow(item, nowMs));
    }
    const [candidates, items] = await Promise.all([
      client.call(candidatesApi.list, { query: { state: 'pending' } }, signal),
      client.call(memoryApi.list, { query: { limit: LIMIT } }, signal),
    ]);
    return [
      ...candidates.items.map((candidate) => candidateRow(candidate, nowMs)),
      ...items.items.map((item) => itemRow(item, nowMs)),
    ];
  },
  async detail(client, key, signal) {
    const number = key.slice(1);
    if (key.startsWith('c')) {
      const { items } = await client.call(candidatesApi.list, { query: { state: 'pending' } }, signal);
      const candidate = items.find((each) => String(each.number) === number);
      return {
        key,
        title: `candidate ${number}`,
        kind: 'text',
        text: candidate === undefined ? '' : candidateText(candidate),
      };
    }
    const { item, events } = await client.call(memoryApi.why, { params: { number: Number(number) } }, signal);
    const trail = events.map(
      ({ at, what, by, detail }) => `${formatMoment(at)}  ${what} by ${by}\n    ${oneLine(detail)}`,
    );
    const head = `${item.kind}${item.tags.map((tag) => `  #${tag}`).join('')}`;
    return { key, title: `item ${number}`, kind: 'text', text: [head, item.content, ...trail].join('\n\n') };
  },
  actions: {
    accept: {
      async run(client, key, signal) {
        if (!key.startsWith('c')) return 'it is already remembered';
        await client.call(candidatesApi.accept, { params: { number: Number(key.slice(1)) }, body: {} }, signal);
        return 'remembered';
      },
    },
    remove: {
      async run(client, key, signal) {
        if (key.startsWith('c')) {
          await client.call(candidatesApi.reject, { params: { number: Number(key.slice(1)) } }, signal);
          return 'rejected; it will not be proposed again';
        }
        return (await client.call(memoryApi.forget, { params: { number: Number(key.slice(1)) } }, signal)).status;
      },
    },
  },
};

function candidateRow({ number, kind, content, at }: MemoryCandidate, nowMs: number): Row {
  return {
    key: `c${number}`,
    line: [
      span(` ?${String(number).padStart(4)}`, 'warn'),
      span(formatAge(at, nowMs).padStart(5), 'dim'),
      span(`  ${kind.padEnd(8)}`, 'warn'),
      span(oneLine(content)),
    ],
    find: content,
  };
}

function itemRow({ number, kind, content, at, tags }: MemoryItem, nowMs: number): Row {
  return {
    key: `i${number}`,
    line: [
      span(` ${String(number).padStart(5)}`),
      span(formatAge(at, nowMs).padStart(5), 'dim'),
      span(`  ${kind.padEnd(8)}`, 'accent'),
      span(oneLine(content)),
      span(tags.length === 0 ? '' : `  ${tags.map((tag) => `#${oneLine(tag)}`).join(' ')}`, 'dim'),
    ],
    find: content,
  };
}

function candidateText({ kind, content, origin, source, secrets, duplicates }: MemoryCandidate): string {
  return [
    `${kind}  proposed by ${source?.model ?? 'a model'}: a accepts it, x rejects it, e rewords it`,
    content,
    ...(origin === 'output' ? [NOT_SAID] : []),
    ...secrets.map(({ title }) => `looks like a secret: ${title}`),
    ...duplicates.map((known) => `item ${known.number} is nearly the same: ${known.content}`),
    ...(typeof source?.excerpt === 'string' ? [`from the conversation:\n${source.excerpt}`] : []),
  ].join('\n\n');
}
