import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { connectDatabase, findChat, listActions } from '@aish/database';
import { verifies } from '../requirements.js';
import { ChatClient, bodiesOf } from '../support/chat.client.js';
import { eventually } from '../support/eventually.js';
import { scriptedStack } from '../support/scripted-stack.js';

describe('a chat whose processes are killed', () => {
  const running = scriptedStack(
    (messages) => {
      const said = messages.at(-1)?.content ?? '';
      return { text: said.startsWith('run: ') ? `CMD: ${said.slice(5)}` : 'Well.' };
    },
    { workers: 0, env: { CONFIRM_CMD: 'false' } },
  );
  let chat: ChatClient;
  beforeAll(() => {
    chat = new ChatClient(running.stack.client);
  });

  it(
    verifies('chat.survives-kill', 'api and sandbox killed in the middle of a command: the run is taken over'),
    async () => {
      const { stack } = running;
      const { id } = await chat.create();
      const db = connectDatabase(stack.database.url, { max: 1 });
      try {
        const command = async () => (await listActions(db.statements, id))[0];
        const driver = async () => (await findChat(db.statements, id))?.epoch ?? 0;
        for await (const { body } of chat.send(id, 'run: echo ran >> log; echo begun; sleep 4; wc -l < log')) {
          if (body.type === 'action.output' && body.text.includes('begun')) break;
        }
        const before = await driver();
        await Promise.all([stack.api.kill('SIGKILL'), stack.sandbox.kill('SIGKILL')]);
        await stack.api.start();
        await eventually('another driver has the chat', async () => (await driver()) > before);
        await sleep(2_000);
        // The sandbox cannot be reached, which says nothing of the command.
        expect((await command())?.state).toBe('started');
        await stack.sandbox.start();
        const items = await chat.replay(id, 0, 'exchange.ended');
        expect(bodiesOf(items, 'action.lost')).toEqual([]);
        expect(bodiesOf(items, 'action.finished').map(({ outcome }) => outcome?.output)).toEqual(['begun\n1\n']);
        expect(bodiesOf(items, 'exchange.ended')).toMatchObject([{ end: 'answered', trouble: null }]);
      } finally {
        await db.close();
      }
    },
    120_000,
  );
});
