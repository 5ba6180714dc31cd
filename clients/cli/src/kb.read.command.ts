import { writeFile } from 'node:fs/promises';
import { KNOWLEDGE_LIMITS, KnowledgeStatus, KnowledgeType } from '@aish/contracts/knowledge';
import type { KnowledgeDoctorCheck, KnowledgeStatusReport, KnowledgeSyncState } from '@aish/contracts/knowledge-upkeep';
import type { KnowledgeFinding } from '@aish/contracts/knowledge-lint';
import { InvalidArgumentError } from 'commander';
import { knowledgeApi } from '@aish/contracts/endpoints/knowledge';
import { line, span, type Line } from '@aish/views/line';
import { cleanText, oneLine } from '@aish/views/sanitise';
import { any, choice, behaviour, flag, one, option } from './command.js';
import { note, writeJson, writeLines, type Io, localFile } from '@aish/client/io';
import { KB_EXITS, REPO, folderOf, withKnowledge, type KnowledgeSource } from './kb.source.js';
import { LOW_CONFIDENCE } from '@aish/contracts/recall';

export const kbQuery = behaviour({
  args: { words: any('words, a title or an ID') },
  options: {
    ...REPO,
    project: option('slug', 'only nodes of this project'),
    type: choice('type', 'only nodes of this kind', KnowledgeType.options),
    status: choice('status', 'only nodes with this status', KnowledgeStatus.options),
    limit: option('n', `maximum number of nodes (default: ${KNOWLEDGE_LIMITS.queryDefault})`, { read: readLimit }),
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
        if (hits.meaning === 'unavailable') note(io, 'Searched by keywords only: the embedding model is unavailable.');
        if (hits.items.length > 0 && !hits.fits) note(io, LOW_CONFIDENCE);
      }
      if (hits.items.length > 0) return;
      if (!options.json) note(io, 'No node matches that.');
      exit(1);
    }),
});

export const kbRead = behaviour({
  args: { id: one('its ID') },
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
        note(io, `${node.movedFrom.id} was removed on ${node.movedFrom.at.slice(0, 10)}; this node replaces it.`);
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

export const kbDoctor = behaviour({
  options: { ...REPO, lint: flag('list the errors in nodes, the index and captures instead') },
  json: 'print the report',
  examples: ['aish kb doctor', 'aish kb doctor --lint --repo ~/kb'],
  exits: { 0: 'nothing failed', 2: KB_EXITS[2], 3: 'something failed' },
  run: (call) =>
    withKnowledge(call, async (kb) => {
      const { options, io, exit } = call;
      if (options.lint) {
        if (!(await printLint(kb, options.json, io))) exit(3);
        return;
      }
      const report = await kb.doctor(io.signal);
      if (options.json) writeJson(io, report);
      else writeLines(io, report.checks.map(checkLine));
      if (!report.ok) exit(3);
      if (options.json || folderOf(call) !== null) return;
      writeLines(io, statusLines(await call.connect().client.call(knowledgeApi.status, {}, io.signal)));
    }),
});

/** Prints the findings of the lint, and returns whether none is fatal. */
async function printLint(kb: KnowledgeSource, json: boolean, io: Io): Promise<boolean> {
  const report = await kb.lint(io.signal);
  if (json) writeJson(io, report);
  else {
    writeLines(io, report.findings.map(findingLine));
    const more = report.omitted > 0 ? `, ${report.omitted} more not shown` : '';
    note(io, `${report.nodes} nodes, ${report.raw} captures, ${report.findings.length} findings${more}`);
  }
  return report.ok;
}

function statusLines({ present, nodes, dir, sync, notice }: KnowledgeStatusReport): readonly Line[] {
  return [
    line(present ? `${nodes} nodes in ${oneLine(dir ?? '')}` : 'none'),
    ...(sync === null ? [] : [line(`remote ${oneLine(sync.remote ?? 'none')}, ${distanceOf(sync)}`)]),
    ...(notice === null ? [] : [[span(oneLine(notice), 'warn')]]),
  ];
}

function distanceOf({ remote, ahead, behind }: Pick<KnowledgeSyncState, 'remote' | 'ahead' | 'behind'>): string {
  if (ahead !== null && behind !== null) return `ahead ${ahead}, behind ${behind}`;
  return remote === null ? 'no remote' : 'nothing pushed yet: aish kb push';
}

export const kbGraph = behaviour({
  options: {
    ...REPO,
    dot: flag('print DOT (the default)'),
    svg: flag('draw an SVG'),
    project: option('slug', 'only nodes of this project'),
    around: option('id', 'only nodes near this one'),
    out: option('file', 'write to this file', { suggests: 'file' }),
  },
  json: 'print the response as JSON',
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

/**
 * Prepares the text of a node for output. Control characters in a node must not reach a terminal. A file or a pipe gets
 * the text unchanged.
 */
function shown(io: Io, text: string): string {
  return io.stdout.isTTY === true ? cleanText(text) : text;
}
