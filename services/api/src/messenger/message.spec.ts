import { describe, expect, it } from '@jest/globals';
import { notification } from '../testing/notification.fixture.js';
import { intentOf } from './intent.js';
import { messageOf, plainText } from './message.js';

const verdicts = (masked: string, maxChars: number): string[] =>
  messageOf(notification, masked, maxChars, false).buttons.map(({ verdict }) => verdict);

describe('messages of messengers', () => {
  it('a message that fits shows the whole action and offers every verdict', () => {
    expect(verdicts(plainText(notification), 4_000)).toEqual(['proceed', 'skip', 'abort']);
  });

  it('a message that does not fit is shortened, keeps its link and offers no Proceed', () => {
    const long = { ...notification, text: 'x'.repeat(500) };
    const { text, buttons } = messageOf(long, plainText(long), 300, false);
    expect(text.length).toBeLessThanOrEqual(300);
    expect(text).toContain('https://aish.example/d/abc');
    expect(buttons.map(({ verdict }) => verdict)).toEqual(['skip', 'abort']);
  });

  it('a message with a hidden secret offers no Proceed', () => {
    expect(verdicts(plainText(notification).replace('x', '***'), 4_000)).toEqual(['skip', 'abort']);
  });

  it('a brief has no escapes for Markdown', () => {
    expect(plainText({ title: 't', text: 'a\\_b \\[c\\]', decision: null })).toBe('t\n\na_b [c]');
  });
});

describe('what a person sends', () => {
  it.each([
    ['BCDF-GHJK-LMNP', { type: 'bind', code: 'BCDFGHJKLMNP' }],
    ['/bind bcdfghjklmnp', { type: 'bind', code: 'BCDFGHJKLMNP' }],
    ['unbind', { type: 'unbind' }],
    ['d12 yes, the old one', { type: 'answer', decision: '12', text: 'yes, the old one' }],
    ['how full is the disk?', { type: 'chat', text: 'how full is the disk?' }],
    ['/start', { type: 'nothing' }],
  ])('“%s” is understood', (text, intent) => {
    expect(intentOf({ text, ticket: null, isForwarded: false })).toEqual(intent);
  });

  it('a forwarded code or button has no effect', () => {
    expect(intentOf({ text: 'BCDF-GHJK-LMNP', ticket: 't', isForwarded: true })).toEqual({ type: 'forwarded' });
  });
});
