import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { findChat } from '@aish/database/chats.repository';
import { connectDatabase } from '@aish/database/client';
import { listActions } from '@aish/database/steps.repository';
import { verifies } from '../requirements.js';
import { ChatClient, bodiesOf } from '../support/chat.client.js';
import { eventually } from '../support/eventually.js';
import { scriptedStack } from '../support/scripted-stack.js';
import { wakeCommand } from '../support/wake-command.js';

describe('kills of services during a chat', () => {
  const running = scriptedStack(
    (messages) => {
      const lastMessage = messages.at(-1)?.content ?? '';
      return { text: lastMessage.startsWith('run: ') ? `CMD: ${lastMessage.slice(5)}` : 'Well.' };
    },
    { workers: 0, quickRecovery: true, env: { CONFIRM_CMD: 'false' } },
  );
  let chat: ChatClient;
  beforeAll(() => {
    chat = new ChatClient(running.stack.client);
  });

  const COMMAND = 'echo ran >> log; echo begun; sleep 60; wc -l < log';

  /** Starts a chat with a running command. */
  async function begun(): Promise<string> {
    const { id } = await chat.create();
    for await (const { body } of chat.send(id, `run: ${COMMAND}`)) {
      if (body.type === 'action.output' && body.text.includes('begun')) break;
    }
    return id;
  }
  async function tookOver(id: string): Promise<void> {
    const items = await chat.replay(id, 0, 'exchange.ended');
    expect(bodiesOf(items, 'action.lost')).toEqual([]);
    expect(bodiesOf(items, 'action.finished').map(({ outcome }) => outcome?.output)).toEqual(['begun\n1\n']);
    expect(bodiesOf(items, 'exchange.ended')).toMatchObject([{ end: 'answered', trouble: null }]);
  }

  it(
    verifies(
      'chat.survives-kill',
      'a run in a chat is taken over after api and sandbox are killed in the middle of the command',
    ),
    async () => {
      const { stack } = running;
      const id = await begun();
      const db = connectDatabase(stack.database.url, { max: 1 });
      try {
        const epochNow = async () => (await findChat(db.statements, id))?.epoch ?? 0;
        const before = await epochNow();
        await Promise.all([stack.api.kill('SIGKILL'), stack.sandbox.kill('SIGKILL')]);
        await stack.api.start();
        await eventually('another runner has the chat', async () => (await epochNow()) > before);
        await sleep(1_000);
        // The sandbox is unreachable, which says nothing about the command.
        expect((await listActions(db.statements, id))[0]?.state).toBe('started');
        await stack.sandbox.start();
        await wakeCommand(id);
        await tookOver(id);
      } finally {
        await db.close();
      }
    },
    120_000,
  );

  it(
    verifies('chat.survives-kill', 'a chat whose sandbox is killed waits, says so, and takes the run over'),
    async () => {
      const { stack } = running;
      const { id } = await chat.create();
      const retries: string[] = [];
      for await (const { body } of chat.send(id, `run: ${COMMAND}`)) {
        if (body.type === 'action.output' && body.text.includes('begun')) await stack.sandbox.kill('SIGKILL');
        if (body.type === 'answer.retry') retries.push(body.reason);
        if (retries.length === 2) break;
      }
      await stack.sandbox.start();
      await wakeCommand(id);
      await tookOver(id);
      expect(retries[1]).toMatch(/^sandbox_unreachable/);
    },
    120_000,
  );

  it(
    verifies(
      'chat.survives-kill',
      'the end of a command is unknown if a person stops a chat that waits for its sandbox',
    ),
    async () => {
      const { stack } = running;
      const id = await begun();
      await stack.sandbox.kill('SIGKILL');
      const { status } = await stack.client.request('POST', `/v1/sessions/${id}/stop`);
      expect(status).toBe(200);
      const items = await chat.replay(id, 0, 'exchange.ended');
      expect(bodiesOf(items, 'action.lost')).toHaveLength(1);
      expect(bodiesOf(items, 'exchange.ended')).toMatchObject([{ end: 'stopped' }]);
      expect((await chat.show(id)).state).toBe('idle');
      await stack.sandbox.start();
      await wakeCommand(id);
    },
    120_000,
  );
});
