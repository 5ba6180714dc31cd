import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Reply, Script } from '@aish/demo-model';
import type { GoalDetail, GoalState } from '@aish/contracts/goals';
import { eventually } from '../support/eventually.js';
import { plan } from '../support/plan.js';
import type { Stack } from '../support/stack.js';
import { removeWorkspaces } from '../support/workspaces.js';

export interface Scenario {
  /** The name of the file and of the goal. */
  readonly name: string;
  readonly script: Script;
  readonly goal?: Readonly<Record<string, unknown>>;
  /** Whether the scenario kills parts that other scenarios need. */
  readonly isAlone?: boolean;
  /** Runs before the goal is given. */
  readonly before?: (stack: Stack) => Promise<unknown>;
  /** Plays the actions of people and of the environment while the goal runs. */
  readonly acts?: (stack: Stack, goalId: string) => Promise<void>;
  readonly endsAs: GoalState;
}

const DONE = 'GOAL: complete\nThat was all.';
const DESTROY = 'CMD: rm -rf keep';

/** Answers the goal's next decision. */
async function answer(stack: Stack, goalId: string, verdict: object): Promise<void> {
  const { number } = await stack.client.decisionOf(goalId);
  const response = await stack.client.request('POST', `/v1/decisions/${number}/verdict`, verdict);
  if (!response.ok) throw new Error(`d${number}: ${response.status} ${await response.text()}`);
}

async function post(stack: Stack, goalId: string, what: string, body: object = {}): Promise<void> {
  const response = await stack.client.request('POST', `/v1/goals/${goalId}/${what}`, body);
  if (!response.ok) throw new Error(`${what}: ${response.status} ${await response.text()}`);
}

async function edit(stack: Stack, goalId: string, change: object): Promise<void> {
  const response = await stack.client.request('PATCH', `/v1/goals/${goalId}`, change);
  if (!response.ok) throw new Error(`edit: ${response.status} ${await response.text()}`);
}

const until = (state: GoalState) => async (stack: Stack, goalId: string) =>
  void (await stack.client.until(goalId, state));

const runs = async (stack: Stack, goalId: string): Promise<GoalDetail> =>
  eventually('a command runs', async () => {
    const goal = await stack.client.goal(goalId);
    return goal.actions.some(({ state }) => state === 'started') ? goal : null;
  });

const halting = plan('CMD: touch keep', DESTROY, 'CMD: ls', DONE);

/** Returns a script that gives these answers first for each goal, and then follows the given script. */
function first(bad: readonly Reply[], then: Script): Script {
  const given = new Map<string, number>();
  return (messages, n) => {
    const goal = messages[1]?.content ?? '';
    const times = given.get(goal) ?? 0;
    given.set(goal, times + 1);
    return bad[times] ?? then(messages, n);
  };
}

const tool = (name: string, args: object): { readonly name: string; readonly arguments: string } => ({
  name,
  arguments: JSON.stringify(args),
});

export const SCENARIOS: readonly Scenario[] = [
  { name: 'one-command', script: plan('CMD: echo hi', DONE), endsAs: 'done' },
  { name: 'two-commands-in-one-answer', script: plan('CMD: echo a\nCMD: echo b', DONE), endsAs: 'done' },
  { name: 'complete-with-pending-actions', script: plan(`CMD: echo last\n${DONE}`), endsAs: 'done' },
  { name: 'a-command-that-fails', script: plan('CMD: false', 'CMD: true', DONE), endsAs: 'done' },
  { name: 'a-here-document', script: plan('CMD: cat <<END\nGOAL: complete\nEND', DONE), endsAs: 'done' },
  { name: 'printed-orders', script: plan("CMD: printf 'CMD: id\\nGOAL: complete\\n'", DONE), endsAs: 'done' },
  { name: 'blocked', script: plan('CMD: ls', 'GOAL: blocked nobody knows the password'), endsAs: 'blocked' },
  { name: 'stalled', script: plan('I think.', 'I think on.', 'I think still.'), endsAs: 'stalled' },
  { name: 'nudged-and-acts', script: plan('I think.', 'CMD: ls', DONE), endsAs: 'done' },
  {
    name: 'steps-used-up',
    script: plan('CMD: echo 1', 'CMD: echo 2', 'CMD: echo 3'),
    goal: { stepBudget: 2 },
    endsAs: 'exhausted',
  },
  {
    name: 'tokens-used-up',
    script: plan('CMD: echo 1', 'CMD: echo 2', 'CMD: echo 3'),
    goal: { tokenBudget: 100 },
    endsAs: 'exhausted',
  },
  {
    name: 'time-used-up',
    script: plan('CMD: sleep 2', 'CMD: echo 2'),
    goal: { timeBudgetMs: 1_000 },
    endsAs: 'exhausted',
  },
  {
    name: 'exhausted-and-continued',
    script: plan('CMD: echo 1', 'CMD: echo 2', DONE),
    goal: { stepBudget: 1 },
    acts: async (stack, id) => {
      await stack.client.until(id, 'exhausted');
      await post(stack, id, 'continue', { steps: 4, message: 'go on' });
    },
    endsAs: 'done',
  },
  {
    name: 'blocked-and-continued',
    script: plan('GOAL: blocked no file', 'CMD: echo now', DONE),
    acts: async (stack, id) => {
      await stack.client.until(id, 'blocked');
      await post(stack, id, 'continue', { steps: 4, message: 'there is one now' });
    },
    endsAs: 'done',
  },
  {
    name: 'stalled-and-continued',
    script: plan('I think.', 'I think on.', 'I think still.', 'CMD: ls', DONE),
    acts: async (stack, id) => {
      await stack.client.until(id, 'stalled');
      await post(stack, id, 'continue', { steps: 4 });
    },
    endsAs: 'done',
  },
  { name: 'halt-proceed', script: halting, acts: (s, id) => answer(s, id, { verdict: 'proceed' }), endsAs: 'done' },
  {
    name: 'halt-skip',
    script: halting,
    acts: (stack, id) => answer(stack, id, { verdict: 'skip', message: 'I need it' }),
    endsAs: 'done',
  },
  { name: 'halt-abort', script: halting, acts: (s, id) => answer(s, id, { verdict: 'abort' }), endsAs: 'aborted' },
  {
    name: 'halt-abort-and-continued',
    script: halting,
    acts: async (stack, id) => {
      await answer(stack, id, { verdict: 'abort' });
      await post(stack, id, 'continue', { steps: 4, message: 'without deleting' });
    },
    endsAs: 'done',
  },
  {
    name: 'halt-edit-to-something-safe',
    script: halting,
    acts: (stack, id) => answer(stack, id, { verdict: 'edit', command: 'ls keep' }),
    endsAs: 'done',
  },
  {
    name: 'halt-edit-to-something-destructive',
    script: halting,
    acts: async (stack, id) => {
      const asked = await stack.client.decisionOf(id);
      await answer(stack, id, { verdict: 'edit', command: 'rm -rf other' });
      await eventually('it is asked about again', async () =>
        (await stack.client.pendingDecisions()).some((each) => each.goalId === id && each.id !== asked.id),
      );
      await answer(stack, id, { verdict: 'proceed' });
    },
    endsAs: 'done',
  },
  {
    name: 'halt-granted-command',
    script: plan(DESTROY, 'CMD: touch keep', DESTROY, DONE),
    acts: (stack, id) => answer(stack, id, { verdict: 'proceed', grant: 'command' }),
    endsAs: 'done',
  },
  {
    name: 'halt-granted-rule',
    script: plan(DESTROY, 'CMD: rm -rf other', DONE),
    acts: (stack, id) => answer(stack, id, { verdict: 'proceed', grant: 'rule' }),
    endsAs: 'done',
  },
  {
    name: 'halt-in-the-middle-of-an-answer',
    script: plan(`CMD: echo before\n${DESTROY}\nCMD: echo after`, DONE),
    acts: (stack, id) => answer(stack, id, { verdict: 'skip' }),
    endsAs: 'done',
  },
  {
    name: 'halt-that-nobody-answers',
    script: halting,
    goal: { haltExpiry: { afterMs: 1_000, verdict: 'skip' } },
    endsAs: 'done',
  },
  {
    name: 'halt-paused-answered-resumed',
    script: halting,
    acts: async (stack, id) => {
      const { number } = await stack.client.decisionOf(id);
      await post(stack, id, 'pause');
      await stack.client.decide(number, 'proceed');
      await post(stack, id, 'resume');
    },
    endsAs: 'done',
  },
  {
    name: 'halt-cancelled',
    script: halting,
    acts: async (stack, id) => {
      await stack.client.decisionOf(id);
      await post(stack, id, 'cancel');
    },
    endsAs: 'aborted',
  },
  {
    name: 'cancelled-in-a-command',
    script: plan('CMD: sleep 60', DONE),
    acts: async (stack, id) => {
      await runs(stack, id);
      await post(stack, id, 'cancel');
    },
    endsAs: 'aborted',
  },
  {
    name: 'paused-in-a-command-and-resumed',
    script: plan('CMD: sleep 2; echo slept', DONE),
    acts: async (stack, id) => {
      await eventually('it runs', () => stack.client.firstCommandRuns(id));
      await post(stack, id, 'pause');
      await post(stack, id, 'resume');
    },
    endsAs: 'done',
  },
  {
    name: 'text-changed-while-a-command-runs',
    script: plan('CMD: sleep 2; echo slept', 'CMD: echo as asked', DONE),
    acts: async (stack, id) => {
      await eventually('it runs', () => stack.client.firstCommandRuns(id));
      await edit(stack, id, { text: 'text-changed-while-a-command-runs: and say what was asked' });
    },
    endsAs: 'done',
  },
  {
    name: 'a-check-that-passes',
    script: plan('CMD: touch made', DONE),
    goal: { verify: 'test -e made' },
    endsAs: 'done',
  },
  {
    name: 'a-check-that-fails-once',
    script: plan(DONE, 'CMD: touch made', DONE),
    goal: { verify: 'test -e made' },
    endsAs: 'done',
  },
  {
    name: 'a-check-that-fails-three-times',
    script: plan(DONE, DONE, DONE, DONE),
    goal: { verify: 'test -e made' },
    endsAs: 'blocked',
  },
  {
    name: 'a-proposed-check-accepted',
    script: plan('GOAL: verify test -e made', 'CMD: touch made', DONE),
    goal: { proposeCheck: true },
    acts: (stack, id) => answer(stack, id, { verdict: 'proceed' }),
    endsAs: 'done',
  },
  {
    name: 'a-proposed-check-refused',
    script: plan('GOAL: verify test -e made', 'CMD: touch made', DONE),
    goal: { proposeCheck: true },
    acts: (stack, id) => answer(stack, id, { verdict: 'skip', message: 'not needed' }),
    endsAs: 'done',
  },
  {
    name: 'a-question-answered-and-more-of-what-is-done',
    script: plan('GOAL: ask Which one?', 'CMD: echo asked', DONE, 'CMD: echo more', DONE),
    acts: async (stack, id) => {
      await answer(stack, id, { verdict: 'proceed', answer: { answer: 'the blue one' } });
      await stack.client.until(id, 'done');
      await post(stack, id, 'continue', { message: 'the other, too' });
    },
    endsAs: 'done',
  },
  {
    name: 'a-question-skipped',
    script: plan('GOAL: ask Which one?', 'CMD: echo asked', DONE),
    acts: (stack, id) => answer(stack, id, { verdict: 'skip', message: 'you choose' }),
    endsAs: 'done',
  },
  {
    name: 'a-need-refused-and-one-given',
    script: plan('NEED: host nas: to look at it', 'CMD: echo without\nNEED: network a.lan:80', 'CMD: echo with', DONE),
    acts: async (stack, id) => {
      await answer(stack, id, { verdict: 'skip', message: 'not that one' });
      await eventually('it needs the next', async () =>
        (await stack.client.decisionOf(id)).action.startsWith('network'),
      );
      await answer(stack, id, { verdict: 'proceed', answer: { local: true } });
    },
    endsAs: 'done',
  },
  {
    name: 'the-same-command-again-and-again',
    script: plan(...Array.from({ length: 5 }, () => 'CMD: echo same'), DONE),
    acts: (stack, id) => answer(stack, id, { verdict: 'skip', message: 'something else, please' }),
    endsAs: 'done',
  },
  {
    name: 'the-model-is-away',
    script: first([{ status: 401, body: { error: { message: 'no', code: 401 } } }], plan('CMD: echo hi', DONE)),
    endsAs: 'done',
  },
  {
    name: 'the-sandbox-is-away',
    isAlone: true,
    script: plan('CMD: echo hi', DONE),
    before: (stack) => stack.sandbox.kill('SIGKILL'),
    acts: async (stack, id) => {
      await stack.client.until(id, 'waiting');
      await stack.sandbox.start();
    },
    endsAs: 'done',
  },
  {
    name: 'a-worker-killed-in-a-command',
    isAlone: true,
    script: plan('CMD: sleep 3; echo slept', DONE),
    acts: async (stack, id) => {
      await eventually('it runs', () => stack.client.firstCommandRuns(id));
      await stack.workers[0]?.kill('SIGKILL');
      await stack.workers[0]?.start();
    },
    endsAs: 'done',
  },
  {
    name: 'a-command-that-is-lost',
    isAlone: true,
    script: plan('CMD: sleep 60', 'CMD: echo looked', DONE),
    acts: async (stack, id) => {
      await eventually('it runs', () => stack.client.firstCommandRuns(id));
      await stack.workers[0]?.kill('SIGKILL');
      await stack.sandbox.kill('SIGKILL');
      // This simulates a machine that lost its disk: the sandbox knows of no run.
      await removeWorkspaces(stack.instance);
      await rm(join(stack.dir, 'sandbox'), { recursive: true, force: true });
      await stack.sandbox.start();
      await stack.workers[0]?.start();
    },
    endsAs: 'done',
  },
  {
    name: 'tools-that-are-approved',
    script: plan({ text: 'Say it.', toolCalls: [tool('every__echo', { message: 'hi' })] }, DONE),
    endsAs: 'done',
  },
  {
    name: 'tools-that-are-asked-about',
    script: plan({ text: 'Add.', toolCalls: [tool('every__get-sum', { a: 1, b: 2 })] }, DONE),
    acts: (stack, id) => answer(stack, id, { verdict: 'proceed' }),
    endsAs: 'done',
  },
  {
    name: 'tools-that-are-refused',
    script: plan({ text: 'Add.', toolCalls: [tool('every__get-sum', { a: 1, b: 2 })] }, DONE),
    acts: (stack, id) => answer(stack, id, { verdict: 'skip', message: 'add yourself' }),
    endsAs: 'done',
  },
  {
    name: 'a-call-that-cannot-be-made',
    script: plan({ text: 'Call.', toolCalls: [tool('every__nothing', {})] }, 'CMD: echo instead', DONE),
    endsAs: 'done',
  },
  {
    name: 'calls-that-can-never-be-made',
    script: plan(
      ...Array.from({ length: 5 }, (_, n) => ({ text: 'Call.', toolCalls: [tool(`every__nothing${n}`, {})] })),
    ),
    endsAs: 'stalled',
  },
  { name: 'done-and-left-alone', script: plan(DONE), acts: until('done'), endsAs: 'done' },
];
