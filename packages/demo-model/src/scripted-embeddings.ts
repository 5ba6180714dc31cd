import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

const DIMENSIONS = 256;
/** The weight of meanings, because the meaning of a text counts more than its words. */
const MEANING_WEIGHT = 4;

export interface ScriptedEmbeddings {
  readonly url: string;
  /** The number of texts that the endpoint was asked about. */
  readonly asked: number;
  /** The model name that the endpoint reports from now on. */
  model: string;
  close(): Promise<void>;
}

/**
 * Starts an endpoint for embeddings that knows which phrases mean the same. Texts with phrases of one meaning get near
 * vectors. It replaces a good model in tests of the search.
 *
 * @param meanings phrases in lower case. The phrases in one list have the same meaning.
 */
export async function startScriptedEmbeddings(
  meanings: readonly (readonly string[])[],
  options: { readonly port?: number; readonly dimensions?: number } = {},
): Promise<ScriptedEmbeddings> {
  let asked = 0;
  const state = { model: 'scripted-embed' };
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { input } = JSON.parse(await text(request)) as { input: string[] };
    asked += input.length;
    const data = input.map((each, index) => ({
      index,
      embedding: vectorOf(each, meanings, options.dimensions ?? DIMENSIONS),
    }));
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ object: 'list', model: state.model, data }));
  };
  const server = createServer((request, response) => void answer(request, response));
  server.listen(options.port ?? 0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    get asked() {
      return asked;
    },
    get model() {
      return state.model;
    },
    set model(name) {
      state.model = name;
    },
    close: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

function vectorOf(content: string, meanings: readonly (readonly string[])[], dimensions: number): number[] {
  const lower = content.toLowerCase();
  const vector = Array<number>(dimensions).fill(0);
  const add = (seed: number, weight: number): void => {
    for (let n = 0; n < dimensions; n += 1) vector[n] = (vector[n] ?? 0) + weight * noise(seed, n);
  };
  for (const [n, phrases] of meanings.entries()) {
    if (phrases.some((phrase) => lower.includes(phrase))) add(n + 1, MEANING_WEIGHT);
  }
  for (const word of lower.match(/[\p{L}\p{N}]+/gu) ?? []) add(hash(word), 0.5);
  return vector;
}

function hash(word: string): number {
  let value = 0x811c9dc5;
  for (const character of word) value = Math.imul(value ^ (character.codePointAt(0) ?? 0), 16_777_619);
  return value >>> 0;
}

/** Returns a number between -1 and 1, always the same for the same arguments. */
function noise(seed: number, n: number): number {
  let value = Math.imul(seed ^ Math.imul(n + 1, 0x9e3779b9), 0x85ebca6b);
  value = Math.imul(value ^ (value >>> 13), 0xc2b2ae35);
  return ((value ^ (value >>> 16)) >>> 0) / 2 ** 31 - 1;
}
