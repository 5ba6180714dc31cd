import { ScriptedMatrix, ScriptedTelegram } from '@aish/api/testing/messenger-servers';
import { MessengerCode } from '@aish/contracts/messengers';
import { afterAll, describe, expect, it } from '@jest/globals';
import { verifies } from '../requirements.js';
import { plan, plans } from '../support/plan.js';
import { scriptedStack } from '../support/scripted-stack.js';

describe('verdicts from messengers', () => {
  const telegram = new ScriptedTelegram();
  const matrix = new ScriptedMatrix();
  const script = plans({
    tidy: plan('CMD: rm -rf /mnt/x', 'CMD: rm -rf /mnt/y', 'GOAL: complete'),
    'how full': plan({ text: 'The disk is half full.' }),
  });
  const running = scriptedStack(script, async () => {
    await Promise.all([telegram.start(), matrix.start()]);
    return {
      env: {
        TELEGRAM_TOKEN: telegram.token,
        TELEGRAM_URL: telegram.url,
        MATRIX_URL: matrix.url,
        MATRIX_TOKEN: 'm',
        MATRIX_ROOM: matrix.room,
      },
    };
  });
  afterAll(() => {
    telegram.stop();
    matrix.stop();
  });

  it(
    verifies('notifications.messenger'),
    async () => {
      const { client } = running.stack;
      const code = async () => (await client.json(MessengerCode, 'POST', '/v1/messengers/code', {})).code;
      telegram.say(7, await code());
      await telegram.until('now belongs to');
      matrix.say('@ann:example', await code());
      await matrix.until('now belongs to');

      await client.request('POST', '/v1/goals', { text: 'tidy' });
      const first = await telegram.until('rm -rf /mnt/x');
      const data = first.reply_markup.inline_keyboard[0][0]?.callback_data ?? '';
      telegram.press(7, `${data.slice(0, -4)}AAAA`);
      await telegram.until('This link is invalid');
      telegram.press(7, data, 8);
      telegram.press(7, data);
      await telegram.until('Answered: proceed');
      telegram.press(7, data);
      await telegram.until('already has its verdict');

      const second = await matrix.until('rm -rf /mnt/y');
      const copy = matrix.say('@eve:example', second.body, undefined, { 'aish.tickets': second['aish.tickets'] });
      matrix.say('@ann:example', 'proceed', copy);
      await matrix.until('This button is not from aish');
      matrix.say('@ann:example', 'skip', second.event_id);
      await matrix.until('Answered: skip');
      await client.until('1', 'done');
      expect((await telegram.until('Goal 1: done')).chat_id).toBe('7');
    },
    120_000,
  );

  it(
    verifies('notifications.messenger', 'a bound account chats with the model, and a stranger gets no answer'),
    async () => {
      const from = telegram.sent.length;
      telegram.say(99, 'how full is the disk?');
      telegram.say(7, 'how full is the disk?');
      expect((await telegram.until('half full', from)).chat_id).toBe('7');
      matrix.say('@ann:example', 'how full is the disk?');
      await matrix.until('half full');
      expect(telegram.sent.slice(from).map(({ chat_id: chat }) => chat)).toEqual(['7']);
    },
    60_000,
  );
});
