import { createHash } from 'node:crypto';
import { createInterface } from 'node:readline/promises';
import type { KnowledgeWrite } from '@aish/contracts/knowledge';
import { KnowledgeOperation, type KnowledgePlan } from '@aish/contracts/knowledge-upkeep';
import { AishError } from '@aish/contracts/problems';
import { z } from 'zod';
import { line, span, type Line } from '@aish/views/line';
import { oneLine } from '@aish/views/sanitise';
import { any, behaviour, flag, many, one, option } from './command.js';
import { note, writeJson, writeLines, type Io } from '@aish/client/io';
import { KB_EXITS, REPO, withKnowledge, type KnowledgeSource } from './kb.source.js';
import { jsonOf, readInput, printWrite } from './kb.write.command.js';

const CONFIRM = {
  ...REPO,
  confirm: option('plan', 'skip the question if the plan still has this ID'),
};

export const kbMerge = behaviour({
  args: { into: one('ID of the node to keep'), from: many('IDs of the nodes to merge into it') },
  options: CONFIRM,
  json: 'print the plan or the result',
  examples: ['aish kb merge 3f0c9a52-5a5e-4d0c-9a5e-2f8b1d3c4e5f 0b0e0d52-5a5e-4d0c-9a5e-2f8b1d3c4e5f'],
  exits: KB_EXITS,
  run: (call) =>
    withKnowledge(call, (kb) => carryOut(kb, { kind: 'merge', into: call.args.into, from: [...call.args.from] }, call)),
});

export const kbSplit = behaviour({
  args: { id: one('its ID'), headlines: any('headlines to split off (default: all of the top level)') },
  options: CONFIRM,
  json: 'print the plan or the result',
  examples: ['aish kb split 3f0c9a52-5a5e-4d0c-9a5e-2f8b1d3c4e5f "Restoring"'],
  exits: KB_EXITS,
  run: (call) =>
    withKnowledge(call, (kb) =>
      carryOut(kb, { kind: 'split', id: call.args.id, headlines: [...call.args.headlines] }, call),
    ),
});

export const kbSupersede = behaviour({
  args: { id: one('ID of the old node'), by: one('ID of the new node') },
  options: CONFIRM,
  json: 'print the plan or the result',
  examples: ['aish kb supersede 3f0c9a52-5a5e-4d0c-9a5e-2f8b1d3c4e5f 0b0e0d52-5a5e-4d0c-9a5e-2f8b1d3c4e5f'],
  exits: KB_EXITS,
  run: (call) =>
    withKnowledge(call, (kb) => carryOut(kb, { kind: 'supersede', id: call.args.id, by: call.args.by }, call)),
});

export const kbDelete = behaviour({
  args: { what: one('ID of a node, or path of a capture (raw/…)') },
  options: { ...CONFIRM, repointTo: option('id', 'redirect links to this node (default: make them plain text)') },
  json: 'print the plan or the result',
  examples: ['aish kb remove 3f0c9a52-5a5e-4d0c-9a5e-2f8b1d3c4e5f', 'aish kb remove raw/20260524-chat.txt'],
  exits: KB_EXITS,
  run: (call) =>
    withKnowledge(call, (kb) => {
      const { args, options } = call;
      if (args.what.startsWith('raw/')) return carryOut(kb, { kind: 'delete-raw', path: args.what }, call);
      const { repointTo } = options;
      return carryOut(kb, { kind: 'delete', id: args.what, ...(repointTo === undefined ? {} : { repointTo }) }, call);
    }),
});

export const kbCurate = behaviour({
  args: { id: any('a node that you have reviewed') },
  options: {
    ...CONFIRM,
    dryRun: flag('list what needs curation (the default without a node)'),
    plan: option('file', 'file of operations as JSON, or - for stdin', { suggests: 'file' }),
  },
  json: 'print the plan or the result',
  examples: [
    'aish kb curate',
    'aish kb curate 3f0c9a52-5a5e-4d0c-9a5e-2f8b1d3c4e5f',
    'aish kb curate --plan tidy.json',
  ],
  exits: KB_EXITS,
  run: (call) =>
    withKnowledge(call, async (kb) => {
      const { args, options, io } = call;
      const [id] = args.id;
      if (options.plan === undefined && args.id.length === 0) return printCuration(kb, options.json, io);
      if ((options.plan === undefined) !== (args.id.length === 1)) {
        throw new AishError('invalid_body', 'Name a node, or a plan file with --plan');
      }
      if (options.plan === undefined) return carryOut(kb, { kind: 'curated', id: id ?? '' }, call);
      const parsed = Operations.safeParse(jsonOf(await readInput(options.plan, io)));
      if (!parsed.success)
        throw new AishError('invalid_body', `The file is not a list of operations: ${z.prettifyError(parsed.error)}`);
      await carryOutAll(kb, parsed.data, call);
    }),
});

/** Lists the nodes that a person should review. */
async function printCuration(kb: KnowledgeSource, json: boolean, io: Io): Promise<void> {
  const report = await kb.curate(io.signal);
  if (json) return writeJson(io, report);
  const lines: Line[] = [];
  const section = (title: string, entries: readonly Line[]): void => {
    if (entries.length > 0) lines.push([span(title, 'bold')], ...entries, line(''));
  };
  const mention = ({ id, title, why }: { id: string | null; title: string; why: string }): Line => [
    span(`  ${oneLine(title)}`),
    span(`  ${id ?? ''}  ${oneLine(why)}`, 'dim'),
  ];
  const groups = report.duplicates.flatMap(({ nodes, why }) => [line(`  ${oneLine(why)}`), ...nodes.map(mention)]);
  section('Duplicates: aish kb merge', groups);
  section('Superseded', report.superseded.map(mention));
  section('Contested', report.contested.map(mention));
  section('Orphans, without any link', report.orphans.map(mention));
  section('Too broad: aish kb split', report.overBroad.map(mention));
  section(
    'Captures that no node uses',
    report.rawWithoutNode.map((path) => line(`  ${oneLine(path)}`)),
  );
  section('Not reviewed for a long time: aish kb curate', report.untouched.map(mention));
  writeLines(io, lines);
  note(io, report.due === null ? 'No curation is due.' : `Curation is due: ${report.due}.`);
}

const Operations = z.array(KnowledgeOperation).min(1).max(100);

/**
 * Like `carryOut`, for several operations. The person approves them together. Then each one is planned and carried out
 * in turn.
 */
async function carryOutAll(
  kb: KnowledgeSource,
  operations: readonly KnowledgeOperation[],
  call: Confirmed,
): Promise<void> {
  const { io, options } = call;
  const plans: KnowledgePlan[] = [];
  for (const operation of operations) plans.push(await kb.plan(operation, io.signal));
  const planId = createHash('sha256')
    .update(plans.map((plan) => plan.planId).join())
    .digest('hex')
    .slice(0, 32);
  if (options.confirm === undefined) {
    if (options.json) return writeJson(io, { planId, plans });
    writeLines(io, plans.flatMap(planLines));
    if (io.stdin.isTTY !== true) return note(io, `Nothing has changed yet. To apply the plan: --confirm ${planId}`);
    if (!(await saysYes(io))) return note(io, 'Nothing was changed.');
  } else if (options.confirm !== planId) {
    throw new AishError(
      'knowledge_plan_changed',
      'The knowledge base has changed since the plan was made. Make a new plan',
    );
  }
  const done: KnowledgeWrite[] = [];
  for (const operation of operations) {
    const { planId: now } = await kb.plan(operation, io.signal);
    const written = await kb.apply(now, operation, io.signal);
    done.push(written);
    if (!options.json) printWrite(io, false, written);
  }
  if (options.json) writeJson(io, done);
}

interface Confirmed {
  readonly io: Io;
  readonly options: { readonly json: boolean; readonly confirm?: string | undefined };
  readonly exit: (code: 1) => void;
}

/**
 * Shows the plan, and applies it if the person agrees or has named the plan. If there is no person, it stays a plan.
 */
async function carryOut(kb: KnowledgeSource, operation: KnowledgeOperation, call: Confirmed): Promise<void> {
  const { io, options } = call;
  if (options.confirm !== undefined) {
    return printWrite(io, options.json, await kb.apply(options.confirm, operation, io.signal));
  }
  const plan = await kb.plan(operation, io.signal);
  if (options.json) return writeJson(io, plan);
  writeLines(io, planLines(plan));
  if (io.onPlan !== undefined) return io.onPlan(plan.planId);
  if (io.stdin.isTTY !== true) return note(io, `Nothing has changed yet. To apply the plan: --confirm ${plan.planId}`);
  if (!(await saysYes(io))) return note(io, 'Nothing was changed.');
  printWrite(io, false, await kb.apply(plan.planId, operation, io.signal));
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
      line(`  ${oneLine(where)} mentions it${rewritten ? ' and will be rewritten' : ': change it yourself'}`),
    ),
    ...warnings.map((warning): Line => [span(`  ${oneLine(warning)}`, 'warn')]),
  ];
}

async function saysYes(io: Io): Promise<boolean> {
  const terminal = createInterface({ input: io.stdin, output: process.stdout });
  try {
    return /^\s*y(?:es)?\s*$/i.test(await terminal.question('Apply this plan? [y/N] ', { signal: io.signal }));
  } finally {
    terminal.close();
  }
}
