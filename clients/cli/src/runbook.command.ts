import { goalsApi } from '@aish/contracts/endpoints/goals';
import { runbooksApi } from '@aish/contracts/endpoints/runbooks';
import { readFile, readdir } from 'node:fs/promises';
import { basename, join, relative, resolve, sep } from 'node:path';
import { AishError } from '@aish/contracts/problems';
import {
  RUNBOOK_FILES_MAX,
  RUNBOOK_MAX_BYTES,
  RunbookCall,
  RunbookName,
  type PutRunbook,
  type Runbook,
  type RunbookDetail,
} from '@aish/contracts/runbooks';
import { goalRequest } from '@aish/views/goal.options';
import { line, span, type Line } from '@aish/views/line';
import { oneLine } from '@aish/views/sanitise';
import { askYes } from './ask-yes.js';
import { any, behaviour, flag, one, option } from './command.js';
import { followGoal } from './follow-goal.js';
import { goalOptions } from './goal-options.js';
import { note, writeJson, writeLines } from '@aish/client/io';

const NAME = one('its name from aish runbook list', (text) => text);
const FOLDER = one('a folder that contains a SKILL.md', (text) => text);

export const runbookRun = behaviour({
  args: { name: NAME, parameters: any('its parameters, as name=value') },
  options: {
    watch: flag('watch the goal until it ends', '-w'),
    text: option('text', 'text of the goal (default: follow the runbook)'),
    ...goalOptions('space', 'host', 'steps', 'verify', 'priority'),
  },
  json: 'print the goal; with --watch, one JSON object per line',
  examples: ['aish runbook run disk-full host=nas --watch'],
  run: async ({ args, options, io, connect, exit }) => {
    const { client } = connect();
    const runbook = callOf(args.name, args.parameters);
    const values = args.parameters.length === 0 ? '' : ` with ${args.parameters.map(oneLine).join(', ')}`;
    const { text = `Do what the runbook ${args.name} says${values}` } = options;
    const goal = await client.call(goalsApi.create, { body: { text, runbook, ...goalRequest(options) } }, io.signal);
    if (options.watch) return exit(await followGoal(client, goal, io, { json: options.json }));
    if (options.json) return writeJson(io, goal);
    writeLines(io, [[span(`goal ${goal.number}`, 'bold'), span(` ${goal.state}`)]]);
  },
});

export const runbookImport = behaviour({
  args: { folder: FOLDER },
  options: {
    dryRun: flag('only check it and print the problems'),
    yes: flag('import it and allow its tools and commands, without confirmation'),
    plain: flag('import it without allowing its tools and commands'),
  },
  json: 'print the runbook',
  examples: ['aish runbook import ./disk-full', 'aish runbook import ./disk-full --dry-run'],
  exits: { 1: 'it has problems, or you declined' },
  run: async ({ args, options, io, connect, exit }) => {
    const { name, files } = await folderOf(args.folder);
    const { client } = connect();
    const checked = await client.call(runbooksApi.put, { params: { name }, body: { files, dryRun: true } }, io.signal);
    if (options.dryRun && options.json) writeJson(io, checked);
    else if (!options.json || checked.faults.length > 0) writeLines(io, detailLines(checked));
    if (checked.faults.length > 0) return exit(1);
    if (options.dryRun) return;
    const asks = asksFor(checked) && options.plain === undefined;
    const isMeant = options.yes === true || options.plain === true;
    const question = asks
      ? 'Import it, and allow it to use these without asking?'
      : 'Import it into the knowledge base?';
    if (!isMeant && !(await askYes(io, question))) return exit(1);
    const put = await client.call(
      runbooksApi.put,
      { params: { name }, body: { files, ...(asks ? { accept: checked.digest } : {}) } },
      io.signal,
    );
    if (options.json) return writeJson(io, put);
    note(io, `${put.name} was imported, commit ${(put.commit ?? '').slice(0, 12)}`);
  },
});

/** Returns a line such as `disk-full  What to do when a disk is full  host days=7`. */
export function runbookLine({ name, description, parameters, faults }: Runbook): Line {
  return [
    span(name.padEnd(24), 'bold'),
    span(` ${oneLine(description)}`),
    span(parameters.length === 0 ? '' : `  ${parametersOf(parameters)}`, 'dim'),
    span(faults.length === 0 ? '' : `  ${faults.map(oneLine).join('; ')}`, 'warn'),
  ];
}

export function detailLines(runbook: RunbookDetail): readonly Line[] {
  const { name, description, parameters, tools, commands, acceptedBy, faults, hints, files, commit } = runbook;
  const asked = acceptedBy === null ? 'asks to use' : `may use (accepted by ${oneLine(acceptedBy)})`;
  return [
    [span(oneLine(name), 'bold'), span(`  ${oneLine(description)}`)],
    ...(parameters.length === 0 ? [] : [line(`parameters  ${parametersOf(parameters)}`)]),
    ...(commit === null ? [] : [line(`commit      ${commit}`)]),
    ...files.map(({ path, sizeBytes }) => line(`file        ${oneLine(path)}  ${sizeBytes} bytes`)),
    ...(asksFor(runbook) ? [line(`${asked} without asking:`)] : []),
    ...tools.map((tool): Line => [span(`  tool     ${oneLine(tool)}`, 'warn')]),
    ...commands.map((each): Line => [span(`  command  ${oneLine(each)}`, 'warn')]),
    ...hints.map((hint): Line => [span(`hint        ${oneLine(hint)}`, 'dim')]),
    ...faults.map((fault): Line => [span(`error       ${oneLine(fault)}`, 'warn')]),
  ];
}

const asksFor = ({ tools, commands }: Runbook): boolean => tools.length + commands.length > 0;
const parametersOf = (parameters: Runbook['parameters']): string =>
  parameters.map((each) => (each.default === null ? each.name : `${each.name}=${oneLine(each.default)}`)).join(' ');

function callOf(name: string, words: readonly string[]): RunbookCall {
  const pairs = words.map((word): [string, string] => {
    const at = word.indexOf('=');
    if (at < 1)
      throw new AishError(
        'invalid_body',
        `${oneLine(word)} is not a parameter. Write it as NAME=VALUE, such as host=nas`,
      );
    return [word.slice(0, at), word.slice(at + 1)];
  });
  const call = RunbookCall.safeParse({ name, parameters: Object.fromEntries(pairs) });
  if (call.success) return call.data;
  const [issue] = call.error.issues;
  throw new AishError('invalid_body', `${issue?.path.join('.') ?? ''}: ${issue?.message ?? ''}`);
}

/** @throws AishError `file_not_found`, `file_too_large`, `invalid_body` */
async function folderOf(folder: string): Promise<{ readonly name: string; readonly files: PutRunbook['files'] }> {
  const root = resolve(folder);
  const name = RunbookName.safeParse(basename(root));
  if (!name.success)
    throw new AishError('invalid_body', `${oneLine(basename(root))}: ${name.error.issues[0]?.message ?? ''}`);
  const entries = await readdir(root, { recursive: true, withFileTypes: true }).catch((cause: unknown) => {
    throw new AishError('file_not_found', `There is no folder ${oneLine(folder)}`, {}, { cause });
  });
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const wanted = paths.filter((path) => !relative(root, path).split(sep).includes('.git'));
  if (wanted.length > RUNBOOK_FILES_MAX) throw tooLarge(`${wanted.length} files; the limit is ${RUNBOOK_FILES_MAX}`);
  const files: PutRunbook['files'] = [];
  let sizeBytes = 0;
  for (const path of wanted) {
    const content = await readFile(path);
    sizeBytes += content.length;
    if (sizeBytes > RUNBOOK_MAX_BYTES) throw tooLarge(`more than ${RUNBOOK_MAX_BYTES} bytes`);
    files.push({ path: relative(root, path).split(sep).join('/'), content: content.toString('base64') });
  }
  return { name: name.data, files };
}

const tooLarge = (why: string): AishError => new AishError('file_too_large', `The folder has ${why}`);
