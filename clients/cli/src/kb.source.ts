import { homedir, userInfo } from 'node:os';
import { join, resolve } from 'node:path';
import { knowledgeApi } from '@aish/contracts/endpoints/knowledge';
import { KnowledgeGraphQuery, KnowledgeQuery, type RememberNode } from '@aish/contracts/knowledge';
import type { KnowledgeOperation } from '@aish/contracts/knowledge-upkeep';
import { AishError, isAishError } from '@aish/contracts/problems';
import { ApiError } from '@aish/client/api.error';
import type { ApiClient } from '@aish/client/api.client';
import { oneLine } from '@aish/views/sanitise';
import { option } from './command.js';
import type { Connected } from './context.js';
import type { ExitCode } from '@aish/client/exit-codes';
import { note, type Io } from '@aish/client/io';

/** The functions that both the server and a clone offer. */
export type KnowledgeSource = ReturnType<typeof serverSource>;

/** A query, in which an undefined field gets its default. */
type Query<T> = { readonly [K in keyof T]?: T[K] | undefined };

/** The knowledge base of a server. */
function serverSource(client: ApiClient) {
  return {
    query: (query: Query<KnowledgeQuery>, signal: AbortSignal) => client.call(knowledgeApi.query, { query }, signal),
    read: (id: string, signal: AbortSignal) => client.call(knowledgeApi.read, { params: { id } }, signal),
    remember: (body: RememberNode, signal: AbortSignal) => client.call(knowledgeApi.remember, { body }, signal),
    lint: (signal: AbortSignal) => client.call(knowledgeApi.lint, {}, signal),
    regenerateIndex: (signal: AbortSignal) => client.call(knowledgeApi.index, {}, signal),
    doctor: (signal: AbortSignal) => client.call(knowledgeApi.doctor, {}, signal),
    curate: (signal: AbortSignal) => client.call(knowledgeApi.curation, {}, signal),
    plan: (body: KnowledgeOperation, signal: AbortSignal) => client.call(knowledgeApi.plan, { body }, signal),
    apply: (planId: string, operation: KnowledgeOperation, signal: AbortSignal) =>
      client.call(knowledgeApi.apply, { body: { planId, operation } }, signal),
    /** Only a clone needs to know that a person has reviewed the commits. A server assumes that of every caller. */
    push: (signal: AbortSignal, _isReviewed: boolean) => client.call(knowledgeApi.push, {}, signal),
    graph: (query: Query<KnowledgeGraphQuery>, signal: AbortSignal) =>
      client.call(knowledgeApi.graph, { query }, signal),
    init: (remote: string | undefined, signal: AbortSignal) =>
      client.call(knowledgeApi.init, { body: remote === undefined ? {} : { remote } }, signal),
  };
}

export const REPO = {
  repo: option('folder', 'work on this clone without a server (default: AISH_KB, then the server)'),
};

/** The exit codes of `aish kb`. Scripts rely on them. */
export const KB_EXITS = {
  0: 'found, or done',
  1: 'no match',
  2: 'the knowledge base is missing or broken, or the command is wrong',
  3: 'the lint or the index has errors',
} as const;

const EXIT_OF: Readonly<Record<string, ExitCode>> = { not_found: 1, knowledge_lint: 3, knowledge_index: 3 };

interface Asked {
  readonly io: Io;
  readonly options: { readonly repo?: string | undefined };
  readonly connect: () => Connected;
  readonly exit: (code: ExitCode) => void;
}

/** Returns the clone to work on. Null means the server. */
export function folderOf({ io, options }: Pick<Asked, 'io' | 'options'>): string | null {
  return options.repo ?? io.config.AISH_KB ?? null;
}

/** Runs `work` with the server or the clone. */
export function withKnowledge(asked: Asked, work: (source: KnowledgeSource) => Promise<void>): Promise<void> {
  return withExits(asked, async () => {
    const folder = folderOf(asked);
    await work(folder === null ? serverSource(asked.connect().client) : await cloneSource(folder, asked.io));
  });
}

/** Maps errors to the exit codes of `aish kb`. */
export async function withExits(asked: Pick<Asked, 'io' | 'exit'>, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    const code = error instanceof ApiError || isAishError(error) ? error.code : null;
    if (code === null || asked.io.signal.aborted) throw error;
    if (error instanceof ApiError && error.isUnauthorised) throw error;
    note(asked.io, `${code}: ${oneLine((error as Error).message)}`);
    asked.exit(EXIT_OF[code] ?? 2);
  }
}

async function cloneSource(dir: string, io: Io): Promise<KnowledgeSource> {
  // This module is loaded lazily, because no other command needs org and git.
  const { KnowledgeBase, drawGraph, emacsChecks } = await import('@aish/knowledge/offline');
  const { PATH, HOME, SSH_AUTH_SOCK } = io.config;
  const base = new KnowledgeBase({ dir, env: { PATH, HOME, SSH_AUTH_SOCK } });
  const me = { name: userInfo().username, scope: null };
  return {
    query: (query, signal) => base.query(KnowledgeQuery.parse(query), null, signal),
    read: (id, signal) => base.read(id, null, signal),
    remember: (input, signal) => base.remember(input, me, signal),
    lint: (signal) => base.lint(signal),
    regenerateIndex: async (signal) => ({
      commit: await base.regenerateIndex(signal),
      id: null,
      path: null,
      warnings: [],
      notes: [],
    }),
    doctor: async (signal) => {
      const { ok, checks } = await base.doctor(signal);
      const configHome = io.config.XDG_CONFIG_HOME ?? join(homedir(), '.config');
      return {
        ok,
        checks: [...checks, ...(await emacsChecks(resolve(dir), { env: { PATH, HOME }, configHome }, signal))],
      };
    },
    curate: (signal) => base.curate(null, signal),
    plan: (operation, signal) => base.plan(operation, me, signal),
    apply: async (planId, operation, signal) => (await base.apply(planId, operation, me, signal)).written,
    push: (signal, again) => base.push({ again }, signal),
    graph: async (query, signal) => {
      const { nodes } = await base.snapshot(signal);
      return drawGraph(nodes, KnowledgeGraphQuery.parse(query));
    },
    init: (remote, signal) => base.init(remote, signal),
  };
}

/** Reads an option value that the contracts define. @throws AishError `invalid_body`, which lists the valid values */
export function oneOfOptions<T extends string>(what: string, text: string, options: readonly T[]): T {
  const found = options.find((each) => each === text);
  if (found !== undefined) return found;
  throw new AishError('invalid_body', `There is no ${what} ${oneLine(text)}. Use one of ${options.join(', ')}`);
}
