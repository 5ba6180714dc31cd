import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { text as readAll } from 'node:stream/consumers';
import {
  KnowledgeConfidence,
  KnowledgeRelation,
  KnowledgeStatus,
  KnowledgeType,
  KnowledgeVisibility,
  RememberNode,
  type KnowledgeWrite,
} from '@aish/contracts/knowledge';
import { AishError } from '@aish/contracts/problems';
import { line } from '@aish/views/line';
import { oneLine } from '@aish/views/sanitise';
import { any, choice, behaviour, flag, option, repeated } from './command.js';
import { note, writeJson, writeLines, type Io, localFile } from '@aish/client/io';
import { KB_EXITS, REPO, oneOfOptions, withKnowledge } from './kb.source.js';

export const kbRemember = behaviour({
  args: { title: any('the title of a new node') },
  options: {
    ...REPO,
    id: option('id', 'change this node; omitted fields stay'),
    summary: option('text', 'a one-paragraph summary of the node', { short: '-s' }),
    body: option('file', 'file with the body in org format; - reads stdin', { short: '-b', suggests: 'file' }),
    type: repeated('type', `repeatable: ${KnowledgeType.options.join(', ')}`, '-t'),
    project: repeated('slug', 'repeatable (default: general)', '-p'),
    confidence: choice('how', 'how the knowledge was obtained', KnowledgeConfidence.options),
    visibility: choice('who', 'who may read it', KnowledgeVisibility.options),
    status: choice('state', 'active, contested or superseded', KnowledgeStatus.options),
    link: repeated('relation:id', `repeatable: ${KnowledgeRelation.options.join(', ')}`, '-l'),
    raw: repeated('file', 'a capture that the node is based on; kept under raw/'),
    allowSecrets: flag('confirm that text that looks like a secret is not one'),
    from: option('file', 'read the whole node as JSON instead; - reads stdin', { suggests: 'file' }),
  },
  json: 'print commit, ID and path',
  examples: [
    'aish kb add Restart nginx by reload -s "A restart drops connections." -t procedure -p homelab',
    'aish kb add --id 3f0c9a52-5a5e-4d0c-9a5e-2f8b1d3c4e5f --status contested',
  ],
  exits: KB_EXITS,
  run: (call) =>
    withKnowledge(call, async (kb) => {
      const { args, options, io } = call;
      const { from, id, summary, confidence, visibility, status } = options;
      const fields = {
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
        allowSecrets: options.allowSecrets,
        raw: options.raw === undefined ? undefined : await Promise.all(options.raw.map(readCapture)),
      };
      const input: unknown = from === undefined ? defined(fields) : jsonOf(await readInput(from, io));
      const parsed = RememberNode.safeParse(input);
      if (!parsed.success) {
        const [issue] = parsed.error.issues;
        throw new AishError('invalid_body', `${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'not valid'}`);
      }
      printWrite(io, options.json, await kb.remember(parsed.data, io.signal));
    }),
});

export const kbPush = behaviour({
  options: { ...REPO, unattended: flag('for a timer: do not push after a rejection that nobody has reviewed') },
  json: 'print the response as JSON',
  examples: ['aish kb push'],
  exits: { ...KB_EXITS, 1: 'not pushed' },
  run: (call) =>
    withKnowledge(call, async (kb) => {
      const { options, io, exit } = call;
      const pushed = await kb.push(io.signal, options.unattended !== true);
      if (options.json) writeJson(io, pushed);
      else writeLines(io, [line(`${pushed.outcome}: ${oneLine(pushed.detail)}`)]);
      if (pushed.outcome !== 'pushed' && pushed.outcome !== 'nothing') exit(1);
    }),
});

export function printWrite(io: Io, json: boolean, written: KnowledgeWrite): void {
  if (json) return writeJson(io, written);
  const { commit, id, path, warnings, notes } = written;
  const what = [commit === null ? 'nothing changed' : commit.slice(0, 10), id, path].filter((part) => part !== null);
  writeLines(io, [line(what.map(oneLine).join('  '))]);
  for (const warning of warnings) note(io, `${warning.code}: ${oneLine(warning.message)}`);
  for (const each of notes) note(io, oneLine(each));
}

export function readInput(file: string, io: Io): Promise<string> {
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

export function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined; // the schema refuses the text
  }
}
