import type { RequirementId } from './requirements.js';

/** Tests that break a defence on purpose and then see the promise broken. Each kind names an entry of one file. */
export const BROKEN_ON_PURPOSE = {
  attack: 'tests/src/release/system/defences.spec.ts',
  runner: 'packages/sessions/src/testing/simulation/plants.ts',
  machine: 'packages/sessions/src/machine/goal/explorer.spec.ts',
} as const;

export interface BrokenOnPurpose {
  readonly by: keyof typeof BROKEN_ON_PURPOSE;
  /** The name in that file: the hole of an attack, or the behaviour of the planted runner or machine. */
  readonly name: string;
}

export interface Promised {
  /** A sentence that aish can be held to. */
  readonly promise: string;
  readonly covers: string;
  readonly not: string;
  readonly requirements: readonly RequirementId[];
  /** At least one test without the defence, or the check fails. */
  readonly withoutDefence: readonly BrokenOnPurpose[];
}

const attack = (name: string): BrokenOnPurpose => ({ by: 'attack', name });
const runner = (name: string): BrokenOnPurpose => ({ by: 'runner', name });
const machine = (name: string): BrokenOnPurpose => ({ by: 'machine', name });

/**
 * `docs/promises.md` is generated from this list and `requirements.ts`: `UPDATE_PROMISES=1 npm test -- check/promises`.
 */
export const PROMISES: readonly Promised[] = [
  {
    promise: 'Nothing happens twice: no command, no tool call, no goal of an event.',
    covers:
      'aish may be killed at any moment: api, workers, sandbox, Postgres, Redis, or all of them. Two workers never run one goal at the same time. If an MCP server dies during a call, aish does not repeat the call. An alert that arrives many times starts one goal.',
    not: 'If nobody saw how a command ended, aish records it as lost and tells you and the model. The model may then propose the same command again. That is a new action, and aish judges it again.',
    requirements: [
      'goal.survives-kill',
      'goal.kill-matrix',
      'goal.second-runner',
      'goal.chaos',
      'chat.survives-kill',
      'mcp.call-once',
      'hosts.lost',
      'events.once',
      'events.kill-matrix',
      'goal.schedules',
      'grow.link-cut',
    ],
    withoutDefence: [
      runner('starts an orphaned run again'),
      runner('repeats a tool call whose answer is lost'),
      runner('does not record that an action has started'),
      machine('begins a started action again'),
    ],
  },
  {
    promise: 'A question waits until a person answers it.',
    covers:
      'Decisions wait for days and over restarts of everything. The first verdict wins, and the second person learns who decided. If a goal ends, its questions end with it.',
    not: 'If you set a time limit, the question ends with skip or abort when the time is over. It never ends with proceed.',
    requirements: [
      'halt.survives-restart',
      'halt.second-client',
      'halt.expiry',
      'halt.first-verdict-wins',
      'goal.questions',
      'mcp.elicitation-waits',
      'decision.escalation',
    ],
    withoutDefence: [
      runner('accepts two verdicts on one decision'),
      runner('does not withdraw questions at the end'),
      machine('asks nobody at a halt'),
      machine('ignores messages while it asks'),
    ],
  },
  {
    promise: 'aish asks before it destroys what was there before.',
    covers:
      'Commands that the rules call destructive ask first. Other commands of a closed workspace run in a layer, and aish holds what they destroyed until you answer, even if their words did not show it. Changes to what is on a host ask first; new files do not.',
    not: 'A program that a host or an open network runs for you may destroy things there without showing it in its words. In folders of mode `direct`, aish judges only the words.',
    requirements: ['safety.gate', 'halt.held', 'halt.depends', 'halt.folder', 'hosts.judged', 'hosts.halt'],
    withoutDefence: [
      attack('6'),
      attack('10'),
      attack('H2'),
      attack('H7'),
      attack('H8'),
      runner('treats everything as safe'),
      machine('runs actions that are judged destructive'),
    ],
  },
  {
    promise: 'An approval covers exactly what you saw.',
    covers:
      'The command, its folder, its variables, and the content of the scripts and files that decide what it does. Hidden characters are shown. A grant ends when its content changes.',
    not: 'An approval does not freeze the world: other programs on a host may change files there while the approved command runs.',
    requirements: ['gate.hosts', 'gate.content', 'gate.cve', 'halt.execution-context', 'runbooks.grants', 'halt.edit'],
    withoutDefence: [attack('2'), attack('4'), attack('5'), attack('7'), attack('8'), attack('12')],
  },
  {
    promise: 'Only a person with the scope `decide` gives a verdict.',
    covers:
      'Tokens without the scope, MCP clients and models cannot answer. A space can demand two people, and the author of a goal is not one of them.',
    not: 'A program that holds your token is you. Give programs tokens without `decide`.',
    requirements: [
      'api.tokens',
      'security.scopes',
      'mcp.no-verdicts',
      'mcp.gate',
      'decision.several-people',
      'acp.decisions',
    ],
    withoutDefence: [attack('token'), machine('accepts a verdict on an action that nobody was asked about')],
  },
  {
    promise: 'A refusal holds.',
    covers:
      'After a skip, aish stops other ways to do the same thing in that goal and its follow-ups, no matter who created the files. After the third attempt it asks one question for all of them.',
    not: 'aish recognises paths, hosts and servers, not intentions. It cannot know that a harmless-looking program does what you refused on a machine that it does not name.',
    requirements: ['refusal.other-ways', 'outward.refused'],
    withoutDefence: [attack('3'), attack('9'), attack('11'), attack('13')],
  },
  {
    promise: 'You can undo what a command did to its workspace.',
    covers:
      'Every command of a layered workspace, and every approved one. One command takes back a whole goal. A rollback that you choose is carried out.',
    not: 'Undo keeps a bounded number of commands and days. It does not reach hosts, networks or tools, except where the card names a snapshot or an automatic revert.',
    requirements: ['undo.restores', 'undo.all', 'undo.preview', 'trust.undoable'],
    withoutDefence: [attack('H3'), runner('keeps changes that a person wants rolled back')],
  },
  {
    promise: 'Nobody sees your secrets.',
    covers:
      'Commands get placeholders, and the proxy puts the value in on the way to the host that you named. aish masks values in outputs, records, logs, prompts and backups of workspaces.',
    not: 'A secret that you give in clear is in its container, and a program there can send it to a place that you opened. aish does not recognise forms that it does not know, such as an encrypted or reversed value.',
    requirements: ['secrets.unseen', 'mcp.run-time', 'memory.permissions', 'api.metrics'],
    withoutDefence: [attack('secret')],
  },
  {
    promise: 'Commands reach only the places that you opened.',
    covers: 'Networks, hosts, host folders, MCP servers and images, per space. Each connection is an event.',
    not: 'What a place does with the data that it gets.',
    requirements: ['network.policy', 'spaces.reach', 'sandbox.host-folders', 'hosts.certificate', 'hosts.pinned'],
    withoutDefence: [attack('network')],
  },
  {
    promise: 'A goal never exceeds its limits.',
    covers: 'Steps, tokens and time. A goal that has ended stays ended unless a person continues it.',
    not: 'A step that has begun is finished before the limit ends the goal.',
    requirements: ['goal.budget', 'goal.budgets', 'goal.repeats', 'goal.breaks'],
    withoutDefence: [machine('takes one step too many'), machine('continues a goal that has ended')],
  },
];
