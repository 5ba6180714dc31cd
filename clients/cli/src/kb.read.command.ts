import { writeFile } from 'node:fs/promises';
import { KNOWLEDGE_LIMITS, KnowledgeStatus, KnowledgeType } from '@aish/contracts/knowledge';
import type { KnowledgeDoctorCheck, KnowledgeSyncState } from '@aish/contracts/knowledge-upkeep';
import type { KnowledgeFinding } from '@aish/contracts/knowledge-lint';
import { InvalidArgumentError } from 'commander';
import { KnowledgeApi } from '@aish/client/knowledge.api';
import { line, span, type Line } from '@aish/views/line';
import { cleanText, oneLine } from '@aish/views/sanitise';
import { any, choice, behaviour, flag, one, option } from './command.js';
import { note, writeJson, writeLines, type Io, localFile } from '@aish/client/io';
import { KB_EXITS, REPO, withKnowledge } from './kb.source.js';
import { NOTHING_FITS } from '@aish/contracts/recall';

/** What is said where no node holds all the words. */
export const kbQuery = behaviour({
  args: { words: any('words, a title or an id') },
  options: {
    ...REPO,
    project: option('slug', 'only nodes of this project'),
    type: choice('type', 'only nodes of this kind', KnowledgeType.options),
    status: choice('status', 'only nodes in this state', KnowledgeStatus.options),
    limit: option('n', `how many at most, ${KNOWLEDGE_LIMITS.queryDefault} if not said`, { read: readLimit }),
  },
  json: 'print the answer: items with title, id, summary, projects, status, updated, path',
  examples: ['aish kb list push failures', 'aish kb list nginx --project homelab --json'],
  exits: KB_EXITS,
  run: (call) =>
    withKnowledge(call, async (kb) => {
      const { args, options, io, exit } = call;
      const { project, type, status, limit } = options;
      const hits = await kb.query({ text: args.words.join(' '), project, type, status, limit, offset: 0 }, io.signal);
      if (options.json) writeJson(io, hits);
      else {
        writeLines(
          io,
          hits.items.map((hit): Line => [
            span(`${oneLine(hit.title)}  `, 'bold'),
            span(`${hit.id}  `, 'dim'),
            span(oneLine(hit.summary)),
            span(
              `  ${hit.projects.map(oneLine).join(',')}  ${hit.status}  ${hit.updated.slice(0, 10)}  ${oneLine(hit.path)}`,
              'dim',
            ),
          ]),
        );
        if (hits.meaning === 'away') note(io, 'By words alone: the model for embeddings does not answer.');
        if (hits.items.length > 0 && !hits.fits) note(io, NOTHING_FITS);
      }
      if (hits.items.length === 0) exit(1);
    }),
});

export const kbRead = behaviour({
  args: { id: one('its id') },
  options: REPO,
  json: 'print the node',
  examples: ['aish kb show 3f0c9a52-5a5e-4d0c-9a5e-2f8b1d3c4e5f'],
  exits: KB_EXITS,
  run: (call) =>
    withKnowledge(call, async (kb) => {
      const { args, options, io } = call;
      const node = await kb.read(args.id, io.signal);
      if (options.json) return writeJson(io, node);
      if (node.movedFrom !== undefined) {
        note(io, `${node.movedFrom.id} is gone since ${node.movedFrom.at.slice(0, 10)}; this node stands for it now.`);
      }
      io.stdout.write(`${shown(io, node.source).trimEnd()}\n`);
      if (node.backlinks.length === 0) return;
      writeLines(io, [
        line(''),
        line('Linked from:'),
        ...node.backlinks.map((link): Line => [
          span(`  ${link.relation}  `),
          span(oneLine(link.title ?? ''), 'bold'),
          span(`  ${link.id}`, 'dim'),
        ]),
      ]);
    }),
});

export const kbLint = behaviour({
  options: REPO,
  json: 'print the report',
  examples: ['aish kb lint', 'aish kb lint --repo ~/kb --json'],
  exits: { 0: 'nothing fatal', 2: KB_EXITS[2], 3: 'something fatal' },
  run: (call) =>
    withKnowledge(call, async (kb) => {
      const { options, io, exit } = call;
      const report = await kb.lint(io.signal);
      if (options.json) writeJson(io, report);
      else {
        writeLines(io, report.findings.map(findingLine));
        const more = report.omitted > 0 ? `, ${report.omitted} more not shown` : '';
        note(io, `${report.nodes} nodes, ${report.raw} captures, ${report.findings.length} findings${more}`);
      }
      if (!report.ok) exit(3);
    }),
});

export const kbDoctor = behaviour({
  options: REPO,
  json: 'print the report',
  examples: ['aish kb doctor'],
  exits: { 0: 'nothing failed', 2: KB_EXITS[2], 3: 'something failed' },
  run: (call) =>
    withKnowledge(call, async (kb) => {
      const { options, io, exit } = call;
      const report = await kb.doctor(io.signal);
      if (options.json) writeJson(io, report);
      else writeLines(io, report.checks.map(checkLine));
      if (!report.ok) exit(3);
    }),
});

export const kbStatus = behaviour({
  json: 'print the answer',
  examples: ['aish kb status'],
  run: async ({ options, io, connect }) => {
    const status = await new KnowledgeApi(connect().client).status(io.signal);
    if (options.json) return writeJson(io, status);
    const { present, nodes, dir, sync, notice } = status;
    writeLines(io, [line(present ? `${nodes} nodes in ${oneLine(dir ?? '')}` : 'none')]);
    if (sync !== null) writeLines(io, [line(`remote ${oneLine(sync.remote ?? 'none')}, ${distanceOf(sync)}`)]);
    if (notice !== null) writeLines(io, [[span(oneLine(notice), 'warn')]]);
  },
});

function distanceOf({ remote, ahead, behind }: Pick<KnowledgeSyncState, 'remote' | 'ahead' | 'behind'>): string {
  if (ahead !== null && behind !== null) return `ahead ${ahead}, behind ${behind}`;
  return remote === null ? 'nothing to push to' : 'nothing pushed yet: aish kb push';
}

export const kbGraph = behaviour({
  options: {
    ...REPO,
    dot: flag('as DOT, which is what is printed anyway'),
    svg: flag('drawn, as SVG'),
    project: option('slug', 'only nodes of this project'),
    around: option('id', 'only what is near this node'),
    out: option('file', 'write it there', { suggests: 'file' }),
  },
  json: 'print the answer',
  examples: ['aish kb graph > kb.dot', 'aish kb graph --svg --project emacs --out kb.svg'],
  exits: KB_EXITS,
  run: (call) =>
    withKnowledge(call, async (kb) => {
      const { options, io } = call;
      const { svg, project, around, out } = options;
      const graph = await kb.graph({ format: svg === true ? 'svg' : 'dot', project, around }, io.signal);
      if (options.json) return writeJson(io, graph);
      if (out === undefined) io.stdout.write(shown(io, graph.text));
      else await localFile(() => writeFile(out, graph.text));
      note(io, `${graph.nodes} nodes, ${graph.links} links`);
    }),
});

function findingLine({ fatal, code, path, line: at, message }: KnowledgeFinding): Line {
  return [
    span(fatal ? 'fatal    ' : 'warning  ', fatal ? 'bad' : 'warn'),
    span(`${oneLine(path)}${at === null ? '' : `:${at}`}  `),
    span(`${code}  `, 'bold'),
    span(oneLine(message)),
  ];
}

function checkLine({ name, state, detail, advice }: KnowledgeDoctorCheck): Line {
  const style = state === 'ok' ? 'good' : state === 'warning' ? 'warn' : 'bad';
  return [
    span(`${state.padEnd(8)} `, style),
    span(`${name.padEnd(15)} `, 'bold'),
    span(oneLine(detail)),
    span(advice === null ? '' : `  -> ${oneLine(advice)}`, 'dim'),
  ];
}

function readLimit(text: string): number {
  const limit = Number(text);
  if (Number.isInteger(limit) && limit >= 1 && limit <= KNOWLEDGE_LIMITS.queryMax) return limit;
  throw new InvalidArgumentError(`a whole number from 1 to ${KNOWLEDGE_LIMITS.queryMax}`);
}

/** A terminal must not obey control characters of a node; a file or a pipe gets the text unchanged. */
function shown(io: Io, text: string): string {
  return io.stdout.isTTY === true ? cleanText(text) : text;
}
