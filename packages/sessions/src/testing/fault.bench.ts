import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { openWorld, type World } from '@aish/actions/testing';
import { listTurns } from '@aish/database/turns.repository';
import { beginChat } from './begin-chat.js';
import { beginGoal } from './begin-goal.js';

/** A fault in the first answer of a model. The next answer is correct and runs `echo right`. */
export interface Fault {
  readonly what: string;
  readonly reply: World['answers'][number];
  /** The commands that still run in a goal. If absent, no command runs, and the model is asked again. */
  readonly ran?: readonly string[];
  /**
   * The commands that still run in a chat, if they differ from those in a goal. In a chat, a proposal is for the person
   * to run.
   */
  readonly ranInChat?: readonly string[];
  /** The notice that the model of a goal gets. */
  readonly notice?: RegExp;
}

export const text = (answer: string): Fault['reply'] => ({ text: answer });
export const toolCallReply = (name: string, args: string, answer = ''): Fault['reply'] => ({
  text: answer,
  toolCalls: [{ name, arguments: args }],
});
export const LS = ['ls -la'];
export const inChatToo = { ran: LS, ranInChat: LS };
export const NO_ACTION = /held no action/;

/**
 * Tests each fault in a goal, twice in a row in a goal, and in a chat. No fault may end the session, and nothing may
 * run that was not requested.
 */
export function testFaults(FAULTS: readonly Fault[]): void {
  let world: World;

  beforeAll(async () => {
    world = await openWorld();
  }, 120_000);
  afterAll(() => world?.close());
  beforeEach(() => {
    world.sandbox.ran.length = 0;
    world.last = 'GOAL: complete\nDone.';
  });

  describe('faults in a goal', () => {
    it.each(FAULTS.map((fault) => [fault.what, fault] as const))(
      'a goal survives %s',
      async (_, { reply, ran = [], notice }) => {
        world.answers = [reply, { text: 'CMD: echo right' }];
        const goal = await beginGoal(world);
        await goal.run();
        expect(world.sandbox.ran).toEqual([...ran, 'echo right']);
        const turns = await listTurns(world.db.statements, goal.sessionId);
        expect(turns.at(-1)).toMatchObject({ role: 'assistant', content: 'GOAL: complete\nDone.' });
        const notices = turns.filter(({ role }) => role === 'notice' || role === 'tool').map(({ content }) => content);
        expect(notices.join('\n')).toMatch(notice ?? /^$/);
      },
    );
  });

  describe('faults in a goal twice in a row', () => {
    const askedAgain = FAULTS.filter(({ ran, notice }) => ran === undefined && notice !== undefined);

    it.each(askedAgain.map((fault) => [fault.what, fault] as const))(
      'a goal survives %s twice in a row',
      async (_, { reply, notice }) => {
        world.answers = [reply, reply, { text: 'CMD: echo right' }];
        const goal = await beginGoal(world);
        await goal.run();
        const isAnswer = String(notice).includes('in words');
        expect(world.sandbox.ran).toEqual(isAnswer ? [] : ['echo right']);
      },
    );
  });

  describe('faults in a chat', () => {
    it.each(FAULTS.map((fault) => [fault.what, fault] as const))(
      'a chat survives %s',
      async (_, { reply, ranInChat = [] }) => {
        world.answers = [reply, { text: 'CMD: echo right' }];
        const chat = await beginChat(world);
        await chat.run();
        const [last] = (await listTurns(world.db.statements, chat.sessionId)).slice(-1);
        // A person always gets a reply, and nothing runs that was not requested.
        expect(last?.content.trim()).not.toBe('');
        expect(world.sandbox.ran.filter((command) => command !== 'echo right')).toEqual(ranInChat);
      },
    );
  });
}
