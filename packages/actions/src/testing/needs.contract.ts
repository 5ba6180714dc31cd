import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { listDecisions } from '@aish/database/decisions.repository';
import { listActions } from '@aish/database/steps.repository';
import { listTurns } from '@aish/database/turns.repository';
import type { ContractKind, ContractSession } from './actions.contract.js';
import { openWorld, type World } from './world.js';

/** The contract of every runner of actions about a model that needs more access. */
export function needsContract({ name, last, begin }: ContractKind): void {
  describe(`requests for access in ${name}`, () => {
    let world: World;

    beforeAll(async () => {
      world = await openWorld();
    }, 120_000);
    afterAll(() => world?.close());
    beforeEach(() => {
      world.last = last;
      world.sandbox.ran.length = 0;
    });

    async function asked(): Promise<ContractSession> {
      world.answers = [{ text: 'First I look.\nCMD: echo begin\nNEED: host nas: the backups are there' }];
      const session = await begin(world);
      await session.run();
      return session;
    }
    const pendingOf = ({ sessionId }: ContractSession) =>
      listDecisions(world.db.statements, { sessionId, state: 'pending', limit: 9 });
    const noticesIn = async ({ sessionId }: ContractSession) =>
      (await listTurns(world.db.statements, sessionId)).map(({ content }) => content).join('\n');

    it('a request for access opens after the commands of the answer, and the model waits for the verdict', async () => {
      const session = await asked();
      expect(await listActions(world.db.statements, session.sessionId)).toMatchObject([{ state: 'finished' }]);
      const pending = await pendingOf(session);
      expect(pending[0]?.context).toContain('First I look.');
      expect(pending).toMatchObject([
        {
          kind: 'need',
          action: 'host nas: the backups are there',
          actionId: null,
          reason: 'the model asks for more access',
          request: { properties: { for: { oneOf: [{ title: `this ${name.replace('a ', '')}` }, {}] } } },
        },
      ]);
      const asking = world.model.requests.length;
      await session.run();
      expect(world.model.requests).toHaveLength(asking);
    });

    it('the model learns which access it was given, and is asked again', async () => {
      const session = await asked();
      await session.decide('proceed');
      await session.run();
      expect(await noticesIn(session)).toContain('The user gives you what you need: host nas\nnas is within reach');
      expect([await pendingOf(session), world.sandbox.ran.length]).toEqual([[], 1]);
      expect(JSON.stringify(world.model.requests.at(-1)?.messages)).toContain('nas is within reach');
    });

    it('the model learns which access was refused and why, and continues without it', async () => {
      const session = await asked();
      await session.decide('skip');
      await session.run();
      expect(await noticesIn(session)).toContain('does not give you this: host nas\nGo on without it.\nnot that');
      expect(JSON.stringify(world.model.requests.at(-1)?.messages)).toContain('Go on without it.');
    });

    it('the model is not asked again after a request for access is aborted', async () => {
      const session = await asked();
      const asking = world.model.requests.length;
      await session.decide('abort');
      await session.run();
      expect([await pendingOf(session), world.model.requests.length]).toEqual([[], asking]);
    });
  });
}
