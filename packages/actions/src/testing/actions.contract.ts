import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Action } from '@aish/contracts/actions';
import type { GrantScope, Verdict } from '@aish/contracts/decisions';
import type { EventBody } from '@aish/contracts/events';
import { AishError } from '@aish/contracts/problems';
import { listDecisions } from '@aish/database/decisions.repository';
import { listEvents } from '@aish/database/events.repository';
import { listActions } from '@aish/database/steps.repository';
import { listTurns } from '@aish/database/turns.repository';
import type { Reply } from '@aish/demo-model';
import type { Boundary } from '../boundaries.js';
import { CONNECTIONS } from './fake.sandbox.js';
import { openWorld, type World } from './world.js';

/** A session of one kind with its own runner. */
export interface ContractSession {
  readonly sessionId: string;
  /** Runs the session until it ends or waits. A killed runner leaves the same state as a dead process. */
  run(): Promise<void>;
  /** Gives a person's verdict on the open decision of the session. */
  decide(
    verdict: Verdict,
    answer?: Readonly<Record<string, string>>,
    more?: {
      readonly carried?: boolean;
      readonly inWindow?: boolean;
      readonly granted?: GrantScope;
      readonly preview?: string;
      readonly edited?: string;
      readonly message?: string;
    },
  ): Promise<void>;
}

export interface ContractKind {
  readonly name: string;
  /** Whether actions of the session wait for an unavailable sandbox. */
  readonly waits: boolean;
  /** The answer with which the model ends its work. */
  readonly last: string;
  /** Starts a session whose commands run without a question and whose outputs go to the model immediately. */
  readonly begin: (world: World) => Promise<ContractSession>;
}

const say = (text: string): Reply => ({ text });
const call = (...names: readonly string[]): Reply => ({
  text: '',
  toolCalls: names.map((name) => ({ name: `lab__${name}`, arguments: '{}' })),
});

/** The contract of every runner of actions: the same actions, records, endings, recovery and notices to the model. */
export function actionsContract({ name, last, begin }: ContractKind): void {
  describe(`actions of ${name}`, () => {
    let world: World;

    beforeAll(async () => {
      world = await openWorld();
    }, 120_000);
    afterAll(() => world?.close());
    beforeEach(() => {
      world.last = last;
      world.at = () => undefined;
      world.sandbox.ran.length = 0;
      world.sandbox.isUnavailable = false;
      world.sandbox.breaksOff = false;
      world.tools.calls.length = 0;
      world.tools.signs = ['open'];
    });

    /** Runs a session whose model gives these answers until it stops. */
    async function runSession(...answers: readonly Reply[]): Promise<ContractSession> {
      world.answers = answers;
      const session = await begin(world);
      await session.run();
      return session;
    }
    const actionsOf = ({ sessionId }: ContractSession) => listActions(world.db.statements, sessionId);
    const statesOf = async (session: ContractSession) => (await actionsOf(session)).map(({ state }) => state);
    const pendingOf = async ({ sessionId }: ContractSession) =>
      (await listDecisions(world.db.statements, { sessionId, state: 'pending', limit: 9 }))[0];
    /** Returns the turns about actions, without the model's own words and the start of the session. */
    const noticesIn = async ({ sessionId }: ContractSession) =>
      (await listTurns(world.db.statements, sessionId))
        .filter(({ role, content }) => !['user', 'assistant'].includes(role) && content !== '[aish] action approved')
        .map(({ role, content }) => [role, content]);
    /** Returns the events of actions, without values that differ between sessions. */
    async function eventsOf({ sessionId }: ContractSession): Promise<readonly EventBody[]> {
      const events = await listEvents(world.db.statements, sessionId, 0, 500);
      const bodies = events.map(({ body }) => body).filter(({ type }) => /^(action|network)\./.test(type));
      return bodies.map((body) => Object.assign(body, { goalId: null, actionId: 'id' }));
    }
    const killAt = (boundary: Boundary, pass: number): void => {
      let left = pass;
      world.at = (each) => {
        if (each !== boundary) return;
        left -= 1;
        // A runner that has lost its lock stops without writing, like a dead process.
        if (left === 0) throw new AishError('lock_lost', 'killed here');
      };
    };
    const live = (): void => {
      world.at = () => undefined;
    };

    it('a safe action runs, and its result is recorded and sent to the model', async () => {
      const session = await runSession(say('First.\nCMD: echo one'));
      expect(await actionsOf(session)).toMatchObject([
        {
          kind: 'command',
          command: 'echo one',
          state: 'finished',
          classification: { verdict: 'safe' },
          outcome: { exitCode: 0, output: 'one\n' },
        },
      ]);
      expect(await noticesIn(session)).toEqual([['output', '[exec] $ echo one\nexit code 0\n| one']]);
      const of = { goalId: null, actionId: 'id', step: 1, kind: 'command' };
      expect(await eventsOf(session)).toMatchObject([
        { type: 'action.classified', ...of, n: 1, command: 'echo one', classification: { verdict: 'safe' } },
        { type: 'action.started', ...of, command: 'echo one' },
        { type: 'network.connection', host: 'example.org', allowed: false, count: 1 },
        { type: 'action.finished', ...of, outcome: { exitCode: 0 }, result: null },
      ]);
      expect(world.sandbox.ran).toEqual(['echo one']);
    });

    it('a destructive command runs only after a verdict and a snapshot of the files', async () => {
      const session = await runSession(say('It must go.\nCMD: rm -rf keep'), say('CMD: echo after'));
      expect(world.sandbox.ran).toEqual([]);
      expect(await statesOf(session)).toEqual(['halted']);
      expect(await pendingOf(session)).toMatchObject({
        action: 'rm -rf keep',
        context: 'It must go.\nCMD: rm -rf keep',
        classification: { verdict: 'destructive' },
      });
      await session.decide('proceed');
      await session.run();
      expect(world.sandbox.ran).toEqual(['rm -rf keep', 'echo after']);
      expect(await statesOf(session)).toEqual(['finished', 'finished']);
      expect(await eventsOf(session)).toContainEqual(
        expect.objectContaining({ type: 'action.snapshot', sizeBytes: 7, reason: null }),
      );
    });

    it('the model learns which action a person refused, and continues', async () => {
      const session = await runSession(say('CMD: rm -rf keep\nCMD: echo after'));
      await session.decide('skip');
      await session.run();
      expect(world.sandbox.ran).toEqual(['echo after']);
      expect(await statesOf(session)).toEqual(['skipped', 'finished']);
      expect((await noticesIn(session))[0]).toEqual(['notice', '[aish] action skipped by user: rm -rf keep\nnot that']);
    });

    it('the model learns why a call cannot be made, and no person is asked', async () => {
      const session = await runSession(call('no_such_tool'));
      expect(await actionsOf(session)).toMatchObject([
        {
          kind: 'tool',
          state: 'skipped',
          classification: null,
          skipReason: expect.stringMatching(/^There is no tool/),
        },
      ]);
      expect(await noticesIn(session)).toEqual([
        ['tool', expect.stringMatching(/^\[aish\] action refused: lab__no_such_tool \{\}\nThere is no tool/)],
      ]);
    });

    it("aish asks about a tool that nobody has approved, and shows the server's description", async () => {
      const session = await runSession(call('ring_bell'));
      expect(world.tools.calls).toEqual([]);
      expect(await pendingOf(session)).toMatchObject({
        action: 'lab.ring_bell {}',
        context: expect.stringContaining('| Does ring_bell.'),
      });
      await session.decide('proceed');
      await session.run();
      expect(world.tools.calls).toEqual(['ring_bell']);
      expect(await noticesIn(session)).toEqual([['tool', 'ding']]);
    });

    it('read-only calls run in parallel, and a call can ask a person a question', async () => {
      const session = await runSession(call('read_sign', 'read_sign'), call('ask_name'));
      expect(await statesOf(session)).toEqual(['finished', 'finished', 'halted']);
      expect((await eventsOf(session)).map(({ type }) => type).slice(0, 4)).toEqual([
        'action.classified',
        'action.classified',
        'action.started',
        'action.started',
      ]);
      await session.decide('proceed');
      await session.run();
      expect(await pendingOf(session)).toMatchObject({ kind: 'elicitation', action: 'Who?' });
      await session.decide('proceed', { name: 'Ada' });
      await session.run();
      expect((await noticesIn(session)).at(-1)).toEqual(['tool', 'accept Ada']);
    });

    it('the connections of a lost command are recorded, and it does not run again', async () => {
      const session = await runSession(say('CMD: vanish'));
      expect(await statesOf(session)).toEqual(['lost']);
      expect(world.sandbox.ran).toEqual(['vanish']);
      expect((await noticesIn(session))[0]?.[1]).toMatch(/^\[aish\] result lost: vanish\n.*has not been run again/);
      killAt('run.after', 1);
      const again = await runSession(say('CMD: vanish'));
      live();
      await again.run();
      expect(await statesOf(again)).toEqual(['lost']);
      expect(await eventsOf(again)).toContainEqual(
        expect.objectContaining({ type: 'network.connection', ...CONNECTIONS[0] }),
      );
    });

    it('a command that may be running waits for an unavailable sandbox and is taken over', async () => {
      world.sandbox.breaksOff = true;
      world.at = (boundary) => {
        // The stream of the first run has broken off, and the sandbox does not answer for a while.
        if (boundary !== 'run.after') return;
        world.sandbox.isUnavailable = true;
        setTimeout(() => (world.sandbox.isUnavailable = false), 700);
      };
      const session = await runSession(say('CMD: echo one'));
      expect(await statesOf(session)).toEqual(['finished']);
      expect(world.sandbox.ran).toEqual(['echo one']);
      expect(await eventsOf(session)).not.toContainEqual(expect.objectContaining({ type: 'action.lost' }));
    });

    it('a call is repeated after the runner was killed only if it is read-only', async () => {
      killAt('run.after', 1);
      const reads = await runSession(call('read_sign'));
      live();
      await reads.run();
      expect(await statesOf(reads)).toEqual(['finished']);
      expect(world.tools.calls).toEqual(['read_sign', 'read_sign']);

      const rings = await runSession(call('ring_bell'));
      killAt('run.after', 1);
      await rings.decide('proceed');
      await rings.run();
      live();
      await rings.run();
      expect(await statesOf(rings)).toEqual(['lost']);
      expect(world.tools.calls.filter((each) => each === 'ring_bell')).toHaveLength(1);
      expect((await noticesIn(rings))[0]?.[1]).toMatch(/^\[aish\] result lost: lab.ring_bell/);
    });

    it('an action with the same result brings a notice at the third time and a decision at the fifth', async () => {
      const session = await runSession(...Array.from({ length: 6 }, () => say('CMD: echo same')));
      expect(await statesOf(session)).toEqual(['finished', 'finished', 'finished', 'finished', 'halted']);
      expect((await noticesIn(session)).filter(([, content]) => content?.startsWith('[aish] You have asked'))).toEqual([
        ['notice', expect.stringContaining('asked for this 3 times: echo same')],
      ]);
      expect(await pendingOf(session)).toMatchObject({ reason: 'the model asks for this for the 5th time' });
    });

    it('a status whose answer changes can be polled', async () => {
      world.tools.signs = ['1 of 6', '2 of 6', '3 of 6', '4 of 6', '5 of 6', 'done'];
      const session = await runSession(...Array.from({ length: 6 }, () => call('read_sign')));
      expect(await statesOf(session)).toEqual(Array.from({ length: 6 }, () => 'finished'));
      expect((await noticesIn(session)).map(([role]) => role)).toEqual(Array.from({ length: 6 }, () => 'tool'));
    });

    it('the count of repetitions survives the death of the runner', async () => {
      world.tools.signs = ['1 of 6', '2 of 6', '3 of 6', '4 of 6', '5 of 6', 'done'];
      killAt('ask.before', 5);
      const polls = await runSession(...Array.from({ length: 6 }, () => call('read_sign')));
      expect(await statesOf(polls)).toHaveLength(4);
      live();
      await polls.run();
      expect(await statesOf(polls)).toEqual(Array.from({ length: 6 }, () => 'finished'));

      killAt('ask.before', 4);
      const repeats = await runSession(...Array.from({ length: 6 }, () => say('CMD: echo same')));
      expect(await statesOf(repeats)).toHaveLength(3);
      live();
      await repeats.run();
      expect((await statesOf(repeats)).at(-1)).toBe('halted');
      expect((await noticesIn(repeats)).filter(([role]) => role === 'notice')).toHaveLength(1);
    });

    describe('actions of ${name} whose runner is killed at every boundary', () => {
      const ANSWERS = [say('CMD: echo one'), call('read_sign'), say('CMD: echo two')];

      it('no action runs, ends or is reported twice after a kill at any boundary', async () => {
        const passed = await boundariesOf(ANSWERS);
        expect(new Set(passed.map(({ boundary }) => boundary)).size).toBeGreaterThanOrEqual(9);
        const lostAt: Boundary[] = [];
        for (const { boundary, pass } of passed) {
          world.sandbox.ran.length = 0;
          killAt(boundary, pass);
          const session = await runSession(...ANSWERS);
          // The action was recorded as started, but nobody was asked to run it. Only the end of this action is unknown.
          const unknown = (await actionsOf(session)).filter(
            (each) => each.kind === 'command' && each.state === 'started' && !world.sandbox.ran.includes(each.command),
          );
          live();
          await session.run();
          const at = `${boundary} (${pass})`;
          const actions = await actionsOf(session);
          expect([at, actions.map(what)]).toEqual([at, ['echo one', 'lab.read_sign', 'echo two']]);
          const lost = actions.filter(({ state }) => state === 'lost');
          lostAt.push(...lost.map(() => boundary));
          expect([at, lost.map(what)]).toEqual([at, unknown.map(what)]);
          expect([at, actions.every(({ state }) => state === 'finished' || state === 'lost')]).toEqual([at, true]);
          const finished = actions.filter(({ kind, state }) => kind === 'command' && state === 'finished');
          expect([at, world.sandbox.ran]).toEqual([at, finished.map(what)]);
          const notices = await noticesIn(session);
          expect([at, notices.length]).toEqual([at, 3]);
          const ends = (await eventsOf(session)).filter(({ type }) => /^action\.(finished|lost|skipped)$/.test(type));
          expect([at, ends.length]).toEqual([at, 3]);
        }
        // Each of the two commands is lost once.
        expect(lostAt).toEqual([
          'record.after',
          'record.told',
          'run.before',
          'record.after',
          'record.told',
          'run.before',
        ]);
      }, 300_000);

      /**
       * Returns every boundary that is passed while nobody is killed, from the first one at which a step can be lost.
       */
      async function boundariesOf(answers: readonly Reply[]): Promise<{ boundary: Boundary; pass: number }[]> {
        const seen: { boundary: Boundary; pass: number }[] = [];
        world.at = (boundary) => {
          seen.push({ boundary, pass: 1 + seen.filter((each) => each.boundary === boundary).length });
        };
        await runSession(...answers);
        live();
        return seen.filter(({ boundary }) => boundary !== 'job.taken');
      }
    });
  });
}

function what(action: Action): string {
  return action.kind === 'command' ? action.command : action.label;
}
