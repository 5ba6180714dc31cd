import { describe, expect, it } from '@jest/globals';
import { classify } from './classify.js';
import { parseUserRules } from '@aish/contracts/config/user-rules';

describe('rules of a configuration', () => {
  it('rules of a configuration are checked before the built-in ones', () => {
    const rules = parseUserRules('[{"id":"own.deploy","title":"deploy","commands":["deploy-site *"]}]');
    expect(classify('sudo deploy-site now', { rules })).toMatchObject({ verdict: 'destructive', ruleId: 'own.deploy' });
    expect(parseUserRules(undefined)).toEqual([]);
  });

  it.each(['{', '{}', '[{"id":"X"}]', '[{"id":"a","title":"t","commands":["/(/"]}]'])(
    'a configuration with %s is refused',
    (text) => {
      expect(() => parseUserRules(text)).toThrow(expect.objectContaining({ code: 'invalid_config' }));
    },
  );
});

it('a "safe" glob must match every argument', () => {
  const rules = parseUserRules(
    JSON.stringify([{ id: 'own.tmp', title: 'scratch', commands: ['rm -rf /tmp/*'], verdict: 'safe' }]),
  );
  expect(classify('rm -rf /tmp/x', { rules })).toMatchObject({ verdict: 'safe', excusedBy: ['own.tmp'] });
  for (const text of ['rm -rf /tmp/x /home', 'rm -rf /tmp/../home', 'rm -rf /tmp/"$X"', 'rm -rf /tmp/$(cat list)'])
    expect([text, classify(text, { rules }).verdict]).not.toEqual([text, 'safe']);
});

it('a "safe" regular expression must match the whole command', () => {
  const rules = parseUserRules(
    JSON.stringify([{ id: 'own.tmp', title: 'scratch', commands: ['/rm -rf /tmp/x/'], verdict: 'safe' }]),
  );
  expect(classify('rm -rf /tmp/x', { rules })).toMatchObject({ verdict: 'safe', excusedBy: ['own.tmp'] });
  expect(classify('rm -rf /tmp/x /home', { rules })).toMatchObject({ verdict: 'destructive' });
});
