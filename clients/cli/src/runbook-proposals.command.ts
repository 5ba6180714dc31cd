import { proposalsApi, runbooksApi } from '@aish/contracts/endpoints/runbooks';
import { readFile } from 'node:fs/promises';
import type { RunbookProposal, RunbookProposalDetail } from '@aish/contracts/runbooks';
import { line, span, type Line } from '@aish/views/line';
import { formatAge } from '@aish/views/duration.format';
import { cleanText, oneLine } from '@aish/views/sanitise';
import { askYes } from './ask-yes.js';
import { behaviour, flag, one, option } from './command.js';
import { note, writeJson, writeLines, localFile, type Io } from '@aish/client/io';
import type { Connected } from './context.js';
import { runbookProposalReference } from './reference.js';
import { detailLines as runbookLines, runbookLine } from './runbook.command.js';

const NAME = one('a runbook, or a proposal such as p3');
const isProposal = (name: string): boolean => /^p-?\d+$/i.test(name);
const REF = one('p3 or 3', runbookProposalReference);

export const runbookList = behaviour({
  options: { proposed: flag('show pending proposals') },
  json: 'print the response as JSON',
  examples: ['aish runbook list', 'aish runbook list --proposed'],
  run: async ({ options, io, connect }) => {
    const { client } = connect();
    if (options.proposed) {
      const proposals = await client.call(proposalsApi.list, {}, io.signal);
      if (options.json) return writeJson(io, proposals);
      if (proposals.items.length === 0) return note(io, 'No proposals to review.');
      return writeLines(io, proposals.items.map(proposalLine));
    }
    const list = await client.call(runbooksApi.list, {}, io.signal);
    if (options.json) return writeJson(io, list);
    if (list.items.length === 0) return note(io, 'No runbooks. Import one: aish runbook import FOLDER');
    writeLines(io, list.items.map(runbookLine));
  },
});

export const runbookShow = behaviour({
  args: { name: NAME },
  json: 'print the response as JSON',
  examples: [
    'aish runbook show disk-full',
    'aish runbook show p3',
    'aish runbook show p3 --json | jq -r .text > SKILL.md',
  ],
  run: async ({ args: { name }, options, io, connect }) => {
    const { client } = connect();
    if (isProposal(name)) {
      const proposal = await client.call(
        proposalsApi.show,
        { params: { ref: runbookProposalReference(name) } },
        io.signal,
      );
      return options.json ? writeJson(io, proposal) : writeLines(io, detailLines(proposal));
    }
    const runbook = await client.call(runbooksApi.show, { params: { name } }, io.signal);
    if (options.json) return writeJson(io, runbook);
    const text = cleanText(runbook.text).split('\n');
    writeLines(io, [...runbookLines(runbook), line(''), ...text.map((each) => line(each))]);
  },
});

export const runbookAccept = behaviour({
  args: { name: NAME },
  options: {
    file: option('file', 'for a proposal: use this SKILL.md instead', { suggests: 'file' }),
    yes: flag('do not ask for confirmation'),
  },
  json: 'print the runbook',
  examples: ['aish runbook accept disk-full', 'aish runbook accept p3', 'aish runbook accept p3 --file SKILL.md'],
  exits: { 1: 'you declined, or it has problems' },
  run: async (call) => (isProposal(call.args.name) ? acceptProposal(call) : acceptUse(call)),
});

interface Accepting {
  readonly args: { readonly name: string };
  readonly options: { readonly file?: string | undefined; readonly yes?: true | undefined; readonly json: boolean };
  readonly io: Io;
  readonly connect: () => Connected;
  readonly exit: (code: 1) => void;
}

/** Shows a proposal, then makes its text the text of the runbook. */
async function acceptProposal({ args, options, io, connect, exit }: Accepting): Promise<void> {
  const { client } = connect();
  const ref = runbookProposalReference(args.name);
  const { file } = options;
  const text = file === undefined ? undefined : await localFile(() => readFile(file, 'utf8'));
  const proposal = await client.call(proposalsApi.show, { params: { ref } }, io.signal);
  if (!options.json) writeLines(io, detailLines(proposal));
  const question =
    text === undefined ? 'Commit it in your name?' : `Commit ${oneLine(file ?? '')} instead, in your name?`;
  if (options.yes === undefined && !(await askYes(io, question))) return exit(1);
  const body = { digest: proposal.digest, ...(text === undefined ? {} : { text }) };
  const runbook = await client.call(proposalsApi.accept, { params: { ref }, body }, io.signal);
  if (options.json) return writeJson(io, runbook);
  note(io, `${runbook.name} was updated, commit ${(runbook.commit ?? '').slice(0, 12)}`);
  if (runbook.tools.length + runbook.commands.length > 0 && runbook.acceptedBy === null) {
    note(io, `aish asks before it uses anything until you run: aish runbook accept ${runbook.name}`);
  }
}

/**
 * Lets the current version of a runbook use its tools and commands without asking. A change to the runbook ends that.
 */
async function acceptUse({ args, options, io, connect, exit }: Accepting): Promise<void> {
  const { client } = connect();
  const runbook = await client.call(runbooksApi.show, { params: { name: args.name } }, io.signal);
  if (!options.json) writeLines(io, runbookLines(runbook));
  if (options.yes === undefined && !(await askYes(io, 'Allow it to use these without asking?'))) return exit(1);
  const accepted = await client.call(
    runbooksApi.accept,
    { params: { name: args.name }, body: { digest: runbook.digest } },
    io.signal,
  );
  if (options.json) return writeJson(io, accepted);
  note(io, `${accepted.name} may use them without asking`);
}

export const runbookReject = behaviour({
  args: { proposal: REF },
  json: 'print the proposal',
  examples: ['aish runbook reject p3'],
  run: async ({ args, options, io, connect }) => {
    const dropped = await connect().client.call(proposalsApi.reject, { params: { ref: args.proposal } }, io.signal);
    if (options.json) return writeJson(io, dropped);
    note(io, `p${dropped.number} was rejected`);
  },
});

/** Returns a line such as `p3 disk-full 2h g4 the log folder has moved`. */
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
    ...tools.added.map((each) => `now also wants to run without asking: tool ${oneLine(each)}`),
    ...commands.added.map((each) => `now also wants to run without asking: command ${oneLine(each)}`),
    ...tools.removed.map((each) => `no longer wants to run without asking: tool ${oneLine(each)}`),
    ...commands.removed.map((each) => `no longer wants to run without asking: command ${oneLine(each)}`),
    ...(endsAcceptance ? ['after the change, it runs nothing without asking until you accept it again'] : []),
  ];
  return [
    proposalLine(proposal),
    ...(state === 'pending' ? [] : [line(`${state} by ${oneLine(decidedBy ?? '')}`)]),
    ...(digest === null ? [line('a new runbook')] : []),
    ...(isStale ? [warn('the runbook has changed since this proposal')] : []),
    ...asks.map(warn),
    ...faults.map((fault) => warn(`error: ${oneLine(fault)}`)),
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
