import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { insertHalt } from '../testing/decisions.fixture.js';
import { ScriptedMatrix, ScriptedTelegram, type SentMessage } from '../testing/messenger.servers.js';
import { TestApi } from '../testing/test-api.js';

describe('messengers', () => {
  const telegram = new ScriptedTelegram();
  const matrix = new ScriptedMatrix();
  let api: TestApi;

  beforeAll(async () => {
    await telegram.start();
    await matrix.start();
    api = await TestApi.start({
      TELEGRAM_TOKEN: telegram.token,
      TELEGRAM_URL: telegram.url,
      MATRIX_URL: matrix.url,
      MATRIX_TOKEN: 'm',
      MATRIX_ROOM: matrix.room,
    });
  }, 60_000);
  afterAll(async () => {
    await api?.stop();
    telegram.stop();
    matrix.stop();
  });

  const code = async (token = api.token): Promise<string> =>
    (await api.ask('POST', '/v1/messengers/code', { token })).body.code;
  const stateOf = async (id: string): Promise<{ state: string; verdict: string | null }> =>
    (await api.ask('GET', `/v1/decisions/${id}`)).body;
  const halt = (action?: string): Promise<string> => insertHalt(api.db, action, api.bus);
  const buttons = (message: SentMessage) => message.reply_markup.inline_keyboard[0];

  it('a person with a bound Telegram account gets the whole action and can proceed once', async () => {
    const once = await code();
    telegram.say(7, once);
    await telegram.until('This account now belongs to admin');
    telegram.say(8, once);
    await telegram.until('This code is wrong or has expired');
    const id = await halt('rm -rf old');
    const message = await telegram.until('rm -rf old');
    expect(message.chat_id).toBe('7');
    expect(buttons(message).map(({ text }) => text)).toEqual(['Proceed', 'Skip', 'Abort goal']);
    const proceed = buttons(message)[0]?.callback_data ?? '';
    expect(proceed.length).toBeLessThanOrEqual(64);

    const from = telegram.sent.length;
    telegram.press(8, proceed); // an account that belongs to nobody
    telegram.press(7, proceed, 9); // from another chat
    telegram.press(7, `p${proceed.slice(1, -4)}AAAA`); // forged
    await telegram.until('This link is invalid', from);
    telegram.press(7, proceed.replace(/^p/, 's')); // the ticket of another verdict
    telegram.say(7, 'd1 yes', { forward_origin: { type: 'user' } });
    await telegram.until('aish ignores forwarded messages', from);
    expect((await stateOf(id)).state).toBe('pending');

    telegram.press(7, proceed);
    await telegram.until('Answered: proceed, by admin', from);
    expect(await stateOf(id)).toMatchObject({ verdict: 'proceed', decidedBy: 'admin' });
    const later = telegram.sent.length;
    telegram.press(7, proceed);
    await telegram.until('already has its verdict', later);
  }, 60_000);

  it('a ticket of one person does not work for another, and not after the decision has changed', async () => {
    telegram.say(8, await code());
    await telegram.until('now belongs to', telegram.sent.length);
    const id = await halt('rm -rf changed');
    const message = await telegram.until('rm -rf changed');
    const skip = buttons(message)[1]?.callback_data ?? '';
    let from = telegram.sent.length;
    const other = message.chat_id === '7' ? 8 : 7;
    telegram.press(other, skip);
    await telegram.until('This link is invalid', from);
    await api.db.pool.query('update decisions set reason = $2 where id = $1', [id, 'something else']);
    from = telegram.sent.length;
    telegram.press(15 - other, skip);
    await telegram.until('This link is invalid', from);
    expect((await stateOf(id)).state).toBe('pending');
    telegram.say(8, 'unbind');
    await telegram.until('no longer belongs to anyone');
  }, 60_000);

  it('a message without the whole action, or with a hidden secret, offers no Proceed', async () => {
    await halt(`echo ${'x'.repeat(600)}`);
    const long = await telegram.until('The whole action is not in this message');
    expect(buttons(long).map(({ text }) => text)).toEqual(['Skip', 'Abort goal']);
    const secret = `ghp_${'a1B2'.repeat(9)}`;
    await halt(`curl -H ${secret}`);
    const hidden = await telegram.until('A secret is hidden');
    expect(hidden.text).not.toContain(secret);
    expect(buttons(hidden).map(({ text }) => text)).toEqual(['Skip', 'Abort goal']);
  }, 60_000);

  it('a person with a bound Matrix account can reply with a verdict, and copies of the reply have no effect', async () => {
    matrix.say('@ann:example', await code());
    await matrix.until('This account now belongs to admin');
    const id = await halt('rm -rf matrix');
    const asked = await matrix.until('rm -rf matrix');
    expect(asked.body).toContain('Reply to this message with: proceed, skip, abort');
    const copy = matrix.say('@eve:example', asked.body, undefined, { 'aish.tickets': asked['aish.tickets'] });
    matrix.say('@eve:example', 'proceed', asked.event_id);
    matrix.say('@ann:example', 'proceed', copy);
    await matrix.until('This button is not from aish');
    matrix.say('@ann:example', 'proceed', '$unknown');
    expect((await stateOf(id)).state).toBe('pending');
    matrix.say('@ann:example', '> quoted\n\nproceed', asked.event_id);
    await matrix.until('Answered: proceed, by admin');
    expect((await stateOf(id)).verdict).toBe('proceed');
    const from = matrix.sent.length;
    matrix.say('@ann:example', 'proceed', asked.event_id);
    await matrix.until('already has its verdict', from);
  }, 60_000);

  it('a binding ends with its token', async () => {
    const { body } = await api.ask('POST', '/v1/tokens', { body: { name: 'bob', scopes: ['observe', 'decide'] } });
    telegram.say(20, await code(body.token));
    await telegram.until('now belongs to bob');
    await api.ask('DELETE', '/v1/tokens/bob');
    const id = await halt('rm -rf after');
    await matrix.until('rm -rf after');
    expect(telegram.sent.filter((each) => each.chat_id === '20' && each.text.includes('rm -rf after'))).toEqual([]);
    expect((await stateOf(id)).state).toBe('pending');
  }, 60_000);
});

describe('a messenger with a wrong token', () => {
  it('a wrong token is reported once and blocks nothing else', async () => {
    const telegram = await new ScriptedTelegram().start();
    const matrix = await new ScriptedMatrix().start();
    telegram.refusesWith = 401;
    const lines: string[] = [];
    const settings = {
      TELEGRAM_TOKEN: telegram.token,
      TELEGRAM_URL: telegram.url,
      MATRIX_URL: matrix.url,
      MATRIX_TOKEN: 'm',
      MATRIX_ROOM: '!missing:example',
    };
    const api = await TestApi.start(settings, (line) => lines.push(line));
    try {
      for (let tries = 0; (telegram.requests < 3 || matrix.requests < 4) && tries < 300; tries += 1)
        await new Promise((resolve) => setTimeout(resolve, 100));
      expect((await api.ask('GET', '/v1/goals')).status).toBe(200);
      const refused = lines.filter((line) => line.includes('the messenger is refused'));
      expect(refused).toHaveLength(2);
      expect(refused.join('')).toContain('TELEGRAM_TOKEN');
      expect(refused.join('')).toContain('MATRIX_ROOM');
      expect(lines.join('')).not.toContain(telegram.token);
    } finally {
      await api.stop();
      telegram.stop();
      matrix.stop();
    }
  }, 60_000);
});
