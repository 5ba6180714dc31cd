import { proposalsApi } from '@aish/contracts/endpoints/runbooks';
import { readFile } from 'node:fs/promises';
import type { RunbookProposal, RunbookProposalDetail } from '@aish/contracts/runbooks';
import { line, span, type Line } from '@aish/views/line';
import { formatAge } from '@aish/views/duration.format';
import { cleanText, oneLine } from '@aish/views/sanitise';
import { askYes } from './ask-yes.js';
import { command, flag, one, option } from './command.js';
import { note, writeJson, writeLines, localFile } from '@aish/client/io';
import { runbookProposalReference } from './reference.js';

const REF = one('p3 or 3', runbookProposalReference);

export const runbookProposals = command({
  name: 'runbook proposals',
  about: 'list what models would have runbooks say, and nobody has reviewed',
  json: 'print the api’s answer',
  examples: ['aish runbook proposals'],
  run: async ({ options, io, connect }) => {
    const list = await connect().client.call(proposalsApi.list, {}, io.signal);
    if (options.json) return writeJson(io, list);
    if (list.items.length === 0) return note(io, 'No proposals wait.');
    writeLines(io, list.items.map(proposalLine));
  },
});

export const runbookProposal = command({
  name: 'runbook proposal',
  about: 'show a proposal as a diff from what the runbook is now',
  args: { ref: REF },
  json: 'print the api’s answer',
  examples: ['aish runbook proposal p3', 'aish runbook proposal p3 --json | jq -r .text > SKILL.md'],
  run: async ({ args, options, io, connect }) => {
    const proposal = await connect().client.call(proposalsApi.show, { params: { ref: args.ref } }, io.signal);
    if (options.json) return writeJson(io, proposal);
    writeLines(io, detailLines(proposal));
  },
});

export const runbookAdopt = command({
  name: 'runbook adopt',
  about: 'make a proposal what the runbook says; shows it first. What it asks to use you accept by aish runbook accept',
  args: { ref: REF },
  options: {
    file: option('file', 'take this SKILL.md in its place'),
    yes: flag('do not ask'),
  },
  json: 'print the runbook',
  examples: ['aish runbook adopt p3', 'aish runbook adopt p3 --file SKILL.md'],
  exits: { 1: 'you said no, or it has faults' },
  run: async ({ args, options, io, connect, exit }) => {
    const { client } = connect();
    const { file } = options;
    const text = file === undefined ? undefined : await localFile(() => readFile(file, 'utf8'));
    const proposal = await client.call(proposalsApi.show, { params: { ref: args.ref } }, io.signal);
    if (!options.json) writeLines(io, detailLines(proposal));
    const question = text === undefined ? 'Commit it as you?' : `Commit ${oneLine(file ?? '')} in its place as you?`;
    if (options.yes === undefined && !(await askYes(io, question))) return exit(1);
    const body = { digest: proposal.digest, ...(text === undefined ? {} : { text }) };
    const runbook = await client.call(proposalsApi.accept, { params: { ref: args.ref }, body }, io.signal);
    if (options.json) return writeJson(io, runbook);
    note(io, `${runbook.name} says this now, commit ${(runbook.commit ?? '').slice(0, 12)}`);
    if (runbook.tools.length + runbook.commands.length > 0 && runbook.acceptedBy === null) {
      note(io, `it uses nothing without a question until you say: aish runbook accept ${runbook.name}`);
    }
  },
});

export const runbookDrop = command({
  name: 'runbook drop',
  about: 'drop a proposal; the same text is not proposed again',
  args: { ref: REF },
  json: 'print the proposal',
  examples: ['aish runbook drop p3'],
  run: async ({ args, options, io, connect }) => {
    const dropped = await connect().client.call(proposalsApi.reject, { params: { ref: args.ref } }, io.signal);
    if (options.json) return writeJson(io, dropped);
    note(io, `p${dropped.number} is dropped`);
  },
});

/** `p3  disk-full  2h  g4  the log folder is another` */
function proposalLine({ number, name, why, from, at }: RunbookProposal): Line {
  return [
    span(`p${number}`.padEnd(5), 'bold'),
    span(`${oneLine(name)}  `, 'accent'),
    span(`${formatAge(at, Date.now())}  ${from ?? ''}  `, 'dim'),
    span(oneLine(why)),
  ];
}

function detailLines(proposal: RunbookProposalDetail): readonly Line[] {
  const { diff, digest, isStale, tools, commands, endsAcceptance, faults, state, decidedBy } = proposal;
  const warn = (text: string): Line => [span(text, 'warn')];
  const asks = [
    ...tools.added.map((each) => `asks to use without a question, and did not: tool ${oneLine(each)}`),
    ...commands.added.map((each) => `asks to use without a question, and did not: command ${oneLine(each)}`),
    ...tools.removed.map((each) => `does not ask for it any more: tool ${oneLine(each)}`),
    ...commands.removed.map((each) => `does not ask for it any more: command ${oneLine(each)}`),
    ...(endsAcceptance ? ['what it may use without a question now ends, until you accept it anew'] : []),
  ];
  return [
    proposalLine(proposal),
    ...(state === 'pending' ? [] : [line(`${state} by ${oneLine(decidedBy ?? '')}`)]),
    ...(digest === null ? [line('a runbook that is not there yet')] : []),
    ...(isStale ? [warn('the runbook has changed since this was proposed')] : []),
    ...asks.map(warn),
    ...faults.map((fault) => warn(`fault: ${oneLine(fault)}`)),
    line(''),
    ...cleanText(diff)
      .split('\n')
      .map((text): Line => [span(text, styleOf(text))]),
  ];
}

function styleOf(text: string): 'good' | 'bad' | 'dim' | 'plain' {
  if (text.startsWith('@@')) return 'dim';
  if (text.startsWith('+')) return 'good';
  return text.startsWith('-') ? 'bad' : 'plain';
}
