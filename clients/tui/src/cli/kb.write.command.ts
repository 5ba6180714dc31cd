import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { text as readAll } from 'node:stream/consumers';
import {
  KnowledgeConfidence,
  KnowledgeRelation,
  KnowledgeStatus,
  KnowledgeType,
  KnowledgeVisibility,
  RememberNode,
  type KnowledgeOperation,
  type KnowledgePlan,
  type KnowledgeWrite,
} from '@aish/contracts/knowledge';
import { AishError } from '@aish/contracts/problems';
import { KnowledgeApi } from '../api/knowledge.api.js';
import { line, span, type Line } from '../text/line.js';
import { oneLine } from '../text/sanitise.js';
import { choice, command, flag, many, one, option, repeated, any } from './command.js';
import { note, writeJson, writeLines, type Io } from './io.js';
import { KB_EXITS, REPO, oneOfOptions, withKnowledge, type KnowledgeSource } from './kb.source.js';
import { localFile } from './local-file.js';

export const kbInit = command({
  name: 'kb init',
  about: 'make or adopt the repository; a second time changes nothing',
  options: { ...REPO, remote: option('url', 'where it is pushed to: a private git repository') },
  json: 'print the answer',
  examples: ['aish kb init', 'aish kb init --repo ~/kb --remote git@nas:kb.git'],
  exits: KB_EXITS,
  run: (call) =>
    withKnowledge(call, async (kb) => {
      const { options, io } = call;
      const made = await kb.init(options.remote, io.signal);
      if (options.json) return writeJson(io, made);
      writeLines(io, [line(`${made.outcome}: ${oneLine(made.dir)}, branch ${oneLine(made.branch)}`)]);
      for (const each of made.notes) note(io, oneLine(each));
    }),
});

export const kbRemember = command({
  name: 'kb remember',
  about: 'write a node, or with --id change one; nothing is pushed here',
  args: { title: any('the title of a new node') },
  options: {
    ...REPO,
    id: option('id', 'change this node; what is not said stays'),
    summary: option('text', 'one paragraph that lets a reader choose', { short: '-s' }),
    body: option('file', 'the rest, as org; - reads stdin', { short: '-b', suggests: 'file' }),
    type: repeated('type', `can be repeated: ${KnowledgeType.options.join(', ')}`, '-t'),
    project: repeated('slug', 'can be repeated; general, if none is said', '-p'),
    confidence: choice('how', 'how it was obtained', KnowledgeConfidence.options),
    visibility: choice('who', 'who may read it', KnowledgeVisibility.options),
    status: choice('state', 'active, contested or superseded', KnowledgeStatus.options),
    link: repeated('relation:id', `can be repeated: ${KnowledgeRelation.options.join(', ')}`, '-l'),
    raw: repeated('file', 'a capture that it was made from; kept under raw/'),
    from: option('file', 'all of it as JSON instead; - reads stdin', { suggests: 'file' }),
  },
  json: 'print the commit, id and path',
  examples: [
    'aish kb remember Restart nginx by reload -s "A restart drops connections." -t procedure -p homelab',
    'aish kb remember --id 3f0c9a52-5a5e-4d0c-9a5e-2f8b1d3c4e5f --status contested',
  ],
  exits: KB_EXITS,
  run: (call) =>
    withKnowledge(call, async (kb) => {
      const { args, options, io } = call;
      const { from, id, summary, confidence, visibility, status } = options;
      const said = {
        id,
        title: args.title.length === 0 ? undefined : args.title.join(' '),
        summary,
        body: options.body === undefined ? undefined : await readInput(options.body, io),
        types: options.type?.map((type) => oneOfOptions('type', type, KnowledgeType.options)),
        projects: options.project,
        confidence: confidence ?? (id === undefined ? 'stated' : undefined),
        visibility,
        status,
        links: options.link?.map(readLink),
        raw: options.raw === undefined ? undefined : await Promise.all(options.raw.map(readCapture)),
      };
      const input: unknown = from === undefined ? defined(said) : jsonOf(await readInput(from, io));
      const parsed = RememberNode.safeParse(input);
      if (!parsed.success) {
        const [issue] = parsed.error.issues;
        throw new AishError('invalid_body', `${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'not valid'}`);
      }
      tellWrite(io, options.json, await kb.remember(parsed.data, io.signal));
    }),
});

export const kbIndex = command({
  name: 'kb index',
  about: 'make the index files anew from the nodes',
  options: REPO,
  json: 'print the commit',
  examples: ['aish kb index'],
  exits: KB_EXITS,
  run: (call) =>
    withKnowledge(call, async (kb) => tellWrite(call.io, call.options.json, await kb.regenerateIndex(call.io.signal))),
});

export const kbSync = command({
  name: 'kb sync',
  about: 'bring the server’s index to the newest commit',
  options: { full: flag('throw it away and make it anew') },
  json: 'print the answer',
  examples: ['aish kb sync', 'aish kb sync --full'],
  run: async ({ options, io, connect }) => {
    const done = await new KnowledgeApi(connect().client.transport).sync(options.full === true, io.signal);
    if (options.json) return writeJson(io, done);
    const { added, changed, removed, skipped } = done;
    writeLines(io, [line(`${done.commit.slice(0, 10)}: ${added} added, ${changed} changed, ${removed} removed`)]);
    for (const path of skipped) note(io, `not valid, left out: ${oneLine(path)}`);
  },
});

export const kbPush = command({
  name: 'kb push',
  about: 'push now, also after a rejection that you have looked at',
  options: REPO,
  json: 'print the answer',
  examples: ['aish kb push'],
  exits: { ...KB_EXITS, 1: 'not pushed' },
  run: (call) =>
    withKnowledge(call, async (kb) => {
      const { options, io, exit } = call;
      const pushed = await kb.push(io.signal);
      if (options.json) writeJson(io, pushed);
      else writeLines(io, [line(`${pushed.outcome}: ${oneLine(pushed.detail)}`)]);
      if (pushed.outcome !== 'pushed' && pushed.outcome !== 'nothing') exit(1);
    }),
});

const CONFIRM = {
  ...REPO,
  confirm: option('plan', 'do it without asking, if the plan still has this id'),
};
const PLANNED = ' Shows the plan, and does it once you say yes';

export const kbMerge = command({
  name: 'kb merge',
  about: `make nodes part of another, links repointed.${PLANNED}`,
  args: { into: one('id of the node that stays'), from: many('ids of those that become part of it') },
  options: CONFIRM,
  json: 'print the plan, or what was done',
  examples: ['aish kb merge 3f0c9a52-5a5e-4d0c-9a5e-2f8b1d3c4e5f 0b0e0d52-5a5e-4d0c-9a5e-2f8b1d3c4e5f'],
  exits: KB_EXITS,
  run: (call) =>
    withKnowledge(call, (kb) => carryOut(kb, { kind: 'merge', into: call.args.into, from: [...call.args.from] }, call)),
});

export const kbSplit = command({
  name: 'kb split',
  about: `make headlines of a node nodes of their own.${PLANNED}`,
  args: { id: one('its id'), headlines: any('the headlines; all of the top level, if none is said') },
  options: CONFIRM,
  json: 'print the plan, or what was done',
  examples: ['aish kb split 3f0c9a52-5a5e-4d0c-9a5e-2f8b1d3c4e5f "Restoring"'],
  exits: KB_EXITS,
  run: (call) =>
    withKnowledge(call, (kb) =>
      carryOut(kb, { kind: 'split', id: call.args.id, headlines: [...call.args.headlines] }, call),
    ),
});

export const kbSupersede = command({
  name: 'kb supersede',
  about: `mark a node as superseded by another, links repointed.${PLANNED}`,
  args: { id: one('id of the old node'), by: one('id of the new one') },
  options: CONFIRM,
  json: 'print the plan, or what was done',
  examples: ['aish kb supersede 3f0c9a52-5a5e-4d0c-9a5e-2f8b1d3c4e5f 0b0e0d52-5a5e-4d0c-9a5e-2f8b1d3c4e5f'],
  exits: KB_EXITS,
  run: (call) =>
    withKnowledge(call, (kb) => carryOut(kb, { kind: 'supersede', id: call.args.id, by: call.args.by }, call)),
});

export const kbDelete = command({
  name: 'kb delete',
  about: `delete a node or a capture; git keeps its past.${PLANNED}`,
  args: { what: one('id of a node, or path of a capture: raw/…') },
  options: { ...CONFIRM, repointTo: option('id', 'lead links to this node; else they become plain text') },
  json: 'print the plan, or what was done',
  examples: ['aish kb delete 3f0c9a52-5a5e-4d0c-9a5e-2f8b1d3c4e5f', 'aish kb delete raw/20260524-chat.txt'],
  exits: KB_EXITS,
  run: (call) =>
    withKnowledge(call, (kb) => {
      const { args, options } = call;
      if (args.what.startsWith('raw/')) return carryOut(kb, { kind: 'delete-raw', path: args.what }, call);
      const { repointTo } = options;
      return carryOut(kb, { kind: 'delete', id: args.what, ...(repointTo === undefined ? {} : { repointTo }) }, call);
    }),
});

export const kbCurated = command({
  name: 'kb curated',
  about: `note that you have looked at a node.${PLANNED}`,
  args: { id: one('its id') },
  options: CONFIRM,
  json: 'print the plan, or what was done',
  examples: ['aish kb curated 3f0c9a52-5a5e-4d0c-9a5e-2f8b1d3c4e5f'],
  exits: KB_EXITS,
  run: (call) => withKnowledge(call, (kb) => carryOut(kb, { kind: 'curated', id: call.args.id }, call)),
});

interface Confirmed {
  readonly io: Io;
  readonly options: { readonly json: boolean; readonly confirm?: string | undefined };
  readonly exit: (code: 1) => void;
}

/** Shows what would be done; does it when the person says yes, or named the plan. Nobody to ask: it stays a plan. */
async function carryOut(kb: KnowledgeSource, operation: KnowledgeOperation, call: Confirmed): Promise<void> {
  const { io, options } = call;
  if (options.confirm !== undefined) {
    return tellWrite(io, options.json, await kb.apply(options.confirm, operation, io.signal));
  }
  const plan = await kb.plan(operation, io.signal);
  if (options.json) return writeJson(io, plan);
  writeLines(io, planLines(plan));
  if (io.onPlan !== undefined) return io.onPlan(plan.planId);
  if (io.stdin.isTTY !== true) return note(io, `Nothing is done yet. To do it: --confirm ${plan.planId}`);
  if (!(await saysYes(io))) return note(io, 'Nothing was done.');
  tellWrite(io, false, await kb.apply(plan.planId, operation, io.signal));
}

function planLines({ summary, changes, repointed, pointers, warnings }: KnowledgePlan): Line[] {
  return [
    [span(oneLine(summary), 'bold')],
    ...changes.map((change): Line => [
      span(`  ${change.change.padEnd(7)}`, change.change === 'remove' ? 'bad' : 'plain'),
      span(oneLine(change.path)),
      span(`  ${oneLine(change.why)}`, 'dim'),
    ]),
    ...(repointed > 0 ? [line(`  links repointed in ${repointed} nodes`)] : []),
    ...pointers.map(({ where, rewritten }) =>
      line(`  ${oneLine(where)} names it${rewritten ? ' and is rewritten' : ': rewrite it yourself'}`),
    ),
    ...warnings.map((warning): Line => [span(`  ${oneLine(warning)}`, 'warn')]),
  ];
}

async function saysYes(io: Io): Promise<boolean> {
  const terminal = createInterface({ input: io.stdin, output: process.stdout });
  try {
    return /^\s*y(?:es)?\s*$/i.test(await terminal.question('Do this? [y/N] ', { signal: io.signal }));
  } finally {
    terminal.close();
  }
}

function tellWrite(io: Io, json: boolean, written: KnowledgeWrite): void {
  if (json) return writeJson(io, written);
  const { commit, id, path, warnings, notes } = written;
  const what = [commit === null ? 'nothing to change' : commit.slice(0, 10), id, path].filter((part) => part !== null);
  writeLines(io, [line(what.map(oneLine).join('  '))]);
  for (const warning of warnings) note(io, `${warning.code}: ${oneLine(warning.message)}`);
  for (const each of notes) note(io, oneLine(each));
}

function readInput(file: string, io: Io): Promise<string> {
  return file === '-' ? readAll(io.stdin) : localFile(() => readFile(file, 'utf8'));
}

async function readCapture(file: string): Promise<{ name: string; text: string }> {
  return {
    name: basename(file).replaceAll(/[^A-Za-z0-9._-]+/g, '-'),
    text: await localFile(() => readFile(file, 'utf8')),
  };
}

function readLink(text: string): { relation: KnowledgeRelation; id: string } {
  const [relation = '', id = ''] = text.split(':');
  return { relation: oneOfOptions('relation', relation.toUpperCase(), KnowledgeRelation.options), id };
}

function defined(value: object): object {
  return Object.fromEntries(Object.entries(value).filter(([, each]) => each !== undefined));
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined; // refused by the schema
  }
}
