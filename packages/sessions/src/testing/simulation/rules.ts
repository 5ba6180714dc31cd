import type { Action } from '@aish/contracts/actions';
import type { Decision } from '@aish/contracts/decisions';
import type { SessionEvent } from '@aish/contracts/events';
import type { Turn } from '@aish/contracts/sessions';
import type { Database } from '@aish/database/client';
import { listDecisions } from '@aish/database/decisions.repository';
import { listEvents } from '@aish/database/events.repository';
import { listActions, listSteps } from '@aish/database/steps.repository';
import { listTurns } from '@aish/database/turns.repository';
import type { SimSandbox, SimTools } from './sim.world.js';
import type { Situation } from './subject.js';

/** Everything that is stored about a session, and everything that happened for it outside aish. */
interface Story {
  readonly situation: Situation;
  readonly sandbox: SimSandbox;
  readonly tools: SimTools;
  readonly actions: readonly Action[];
  readonly events: readonly SessionEvent[];
  readonly decisions: readonly Decision[];
  readonly turns: readonly Turn[];
  readonly answers: number;
}

/** Returns one line per problem; empty if the rule holds. */
type Rule = (story: Story) => readonly string[];

const ENDED = new Set(['finished', 'skipped', 'lost']);
const ALL = 100_000;

/** Rules that hold for every session, after any fault. */
const RULES: Readonly<Record<string, Rule>> = {
  'no command begins twice': ({ sandbox }) =>
    repeated(sandbox.begun.map(({ runId, command }) => `${command} ${runId}`)),

  'nothing begins that was not let through': (story) =>
    story.actions.flatMap(({ id, ...action }) => {
      const ofIt = eventsOf(story, id);
      let isLet = false;
      const broken = [];
      for (const body of ofIt) {
        if (body.type === 'action.classified') {
          isLet = body.classification.verdict === 'safe' || body.classification.held === true;
        } else if (body.type === 'grant.used') isLet = true;
        else if (body.type === 'decision.given') isLet = body.verdict === 'proceed';
        else if (body.type === 'action.started' && !isLet) broken.push(`${nameOf(action)} began without a word`);
      }
      return broken;
    }),

  'what begins is on record as started, as it was judged': (story) =>
    story.sandbox.begun.flatMap(({ runId, command }) => {
      const started = eventsOf(story, runId).filter((body) => body.type === 'action.started');
      return started.at(-1)?.command === command ? [] : [`${command} began unrecorded`];
    }),

  'what is asked about first destroys nothing without a person': ({ sandbox, decisions }) =>
    sandbox.begun.flatMap(({ runId, command }) => {
      if (!/^(rm|eval) /.test(command)) return [];
      const given = decisions.filter(({ verdict }) => verdict === 'proceed');
      const isGranted = given.some(({ granted }) => granted !== null && granted !== undefined);
      const isTrusted = sandbox.nextContext.undoable === true;
      const isLet = isTrusted || isGranted || given.some(({ actionId }) => actionId === runId);
      return isLet ? [] : [`${command} began, and nobody let it`];
    }),

  'nothing that was held is kept without a verdict': ({ sandbox, decisions }) =>
    sandbox.verdicts
      .filter(({ verdict }) => verdict === 'keep')
      .filter(
        ({ runId }) =>
          !decisions.some((each) => each.actionId === runId && each.verdict === 'proceed' && each.difference !== null),
      )
      .map(({ runId }) => `run ${runId} was kept`),

  'every action has one end, in its row and its events': (story) =>
    story.actions.flatMap((action) => {
      const ends = eventsOf(story, action.id)
        .map(({ type }) => type.replace('action.', ''))
        .filter((type) => ENDED.has(type));
      const expected = ENDED.has(action.state) ? action.state : '';
      return ends.join() === expected
        ? []
        : [`${nameOf(action)} is ${action.state}, and its events say ${ends.join()}`];
    }),

  'turns and events are gapless and in order': ({ turns, events }) => [
    ...gaps('turn', turns),
    ...gaps('event', events),
  ],

  'every answer and every result is told once': ({ turns, actions, answers }) => {
    const answerCount = turns.filter(({ role }) => role === 'assistant').length;
    const outputs = turns.filter(({ role }) => role === 'output').length;
    const finished = actions.filter(({ kind, state }) => kind === 'command' && state === 'finished').length;
    const results = turns.flatMap(({ role, meta }) => (role === 'tool' ? [String(meta?.toolCallId)] : []));
    return [
      ...(answerCount > answers ? [`${answerCount} turns of ${answers} answers`] : []),
      ...(outputs === finished ? [] : [`${outputs} outputs of ${finished} commands`]),
      ...repeated(results),
    ];
  },

  'nothing is left open at an end, and one question at a halt': ({ situation, actions, decisions }) => {
    const open = actions.filter(({ state }) => !ENDED.has(state));
    const pending = decisions.filter(({ state }) => state === 'pending').length;
    if (situation === 'asks') return pending === 1 ? [] : [`${pending} questions are open at a halt`];
    if (situation !== 'rests') return pending <= 1 ? [] : [`${pending} questions are open`];
    return [
      ...open.map((action) => `${nameOf(action)} is ${action.state} at the end`),
      ...(pending === 0 ? [] : ['a question is open at the end']),
    ];
  },

  'a decision has one verdict at most': ({ decisions, events }) =>
    decisions.flatMap(({ id, state, action }) => {
      const ofIt = events.flatMap(({ body }) =>
        (body.type === 'decision.given' || body.type === 'decision.withdrawn') && body.decisionId === id
          ? [body.type.replace('decision.', '')]
          : [],
      );
      const expected = state === 'decided' ? 'given' : state === 'withdrawn' ? 'withdrawn' : '';
      return ofIt.join() === expected ? [] : [`${action} is ${state}, and its events say ${ofIt.join()}`];
    }),

  'a call that does more than read is made once': ({ tools, decisions, actions }) =>
    actions.flatMap((action) => {
      if (action.kind !== 'tool') return [];
      const made = tools.made.filter(({ callId }) => callId === action.callId);
      const answered = decisions.filter((each) => each.actionId === action.id && each.kind === 'elicitation').length;
      const [first, again] = [
        made.filter((each) => !each.isResumed).length,
        made.filter((each) => each.isResumed).length,
      ];
      return first <= 1 && again <= answered
        ? []
        : [`${action.label} was called ${first} times, and ${again} after ${answered} answers`];
    }),
};

/** Returns the problems of a session, each with the name of the rule that it breaks. */
export async function brokenRules(
  db: Database,
  sessionId: string,
  of: Pick<Story, 'situation' | 'sandbox' | 'tools'>,
): Promise<readonly string[]> {
  const tx = db.statements;
  const [actions, events, decisions, turns, steps] = await Promise.all([
    listActions(tx, sessionId),
    listEvents(tx, sessionId, 0, ALL),
    listDecisions(tx, { sessionId, limit: ALL }),
    listTurns(tx, sessionId),
    listSteps(tx, sessionId),
  ]);
  const answers = steps.filter(({ answeredAt }) => answeredAt !== null).length;
  const story: Story = { ...of, actions, events, decisions, turns, answers };
  return Object.entries(RULES).flatMap(([name, rule]) => rule(story).map((what) => `${name}: ${what}`));
}

/** Returns the events of an action, including verdicts on whether it begins. */
function eventsOf({ events, decisions }: Story, actionId: string) {
  // Verdicts on its changes and answers to its server's questions are excluded.
  const before = decisions.filter(({ kind, difference }) => kind !== 'elicitation' && difference === null);
  const own = new Set(before.flatMap((each) => (each.actionId === actionId ? [each.id] : [])));
  return events
    .map(({ body }) => body)
    .filter((body) =>
      body.type === 'decision.given' ? own.has(body.decisionId) : 'actionId' in body && body.actionId === actionId,
    );
}

function nameOf(action: Pick<Action, 'kind'> & { readonly command?: string; readonly label?: string }): string {
  return action.command ?? action.label ?? action.kind;
}

function repeated(all: readonly string[]): readonly string[] {
  return all.filter((each, n) => all.indexOf(each) !== n).map((each) => `twice: ${each}`);
}

function gaps(what: string, all: readonly { readonly seq: number }[]): readonly string[] {
  return all.flatMap(({ seq }, n) => (seq === n + 1 ? [] : [`${what} ${n + 1} has number ${seq}`]));
}
