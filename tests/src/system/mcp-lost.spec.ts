import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { TurnList } from '@aish/contracts/chat';
import { MailServer } from '@aish/mcp/testing';
import { verifies } from '../requirements.js';
import { ChatClient, bodiesOf } from '../support/chat.client.js';
import { closeAll } from '../support/close-all.js';
import { eventually } from '../support/eventually.js';
import { plan, plans } from '../support/plan.js';
import { scriptedStack } from '../support/scripted-stack.js';

const calling = (name: string) => ({ text: '', toolCalls: [{ name, arguments: '{}' }] });
/** Matches aish's message about an action whose end is unknown. */
const LOST = /^\[aish\] result lost: .*send_mail[^]*its outcome is unknown\. It has not been run again/;

describe('tool calls whose MCP server dies', () => {
  const servers: Record<string, MailServer> = {};
  const aliases = ['chatback', 'chatdown', 'goalback', 'goaldown'] as const;
  const running = scriptedStack(
    plans(
      Object.fromEntries(aliases.map((alias) => [alias, plan(calling(`${alias}__send_mail`), 'GOAL: complete\ndone')])),
    ),
    async () => {
      for (const alias of aliases)
        servers[alias] = await MailServer.start('sessions', { restarts: alias.endsWith('back') });
      const configured = Object.entries(servers).map(([alias, { url }]) => [alias, { url, auto_approve: true }]);
      return { env: { MCP_SERVERS: JSON.stringify(Object.fromEntries(configured)) } };
    },
  );

  beforeAll(async () => {
    const probe = await new ChatClient(running.stack.client).create();
    await eventually('the servers are connected', async () => {
      const response = await running.stack.client.request('GET', `/v1/sessions/${probe.id}/tools`);
      const { items } = (await response.json()) as { items: { label: string }[] };
      return items.filter(({ label }) => label.endsWith('.send_mail')).length === aliases.length;
    });
  }, 60_000);

  afterAll(() => closeAll(...Object.values(servers).map((server) => () => server.stop())), 60_000);

  const noticesIn = async (sessionId: string): Promise<string> => {
    const { items } = await running.stack.client.json(TurnList, 'GET', `/v1/sessions/${sessionId}/turns`);
    return items.findLast(({ role }) => role === 'tool')?.content ?? '';
  };

  it.each(['chatback', 'chatdown'] as const)(
    verifies('mcp.call-once', 'a call in a chat is lost if its MCP server dies (%s)'),
    async (alias) => {
      const chats = new ChatClient(running.stack.client);
      const session = await chats.create();
      const items = await chats.exchange(session.id, alias);
      expect(bodiesOf(items, 'action.lost')).toHaveLength(1);
      expect(bodiesOf(items, 'action.finished')).toEqual([]);
      expect(await noticesIn(session.id)).toMatch(LOST);
      expect(await servers[alias]?.done()).toEqual(['mail']);
    },
    60_000,
  );

  it.each(['goalback', 'goaldown'] as const)(
    verifies('mcp.call-once', 'a call in a goal is lost if its MCP server dies (%s)'),
    async (alias) => {
      const { client } = running.stack;
      const goal = await client.createGoal(alias);
      expect(await client.until(goal.id, 'done')).toMatchObject({ actions: [{ state: 'lost', result: null }] });
      expect(await noticesIn(goal.sessionId)).toMatch(LOST);
      expect(await servers[alias]?.done()).toEqual(['mail']);
    },
    60_000,
  );
});
