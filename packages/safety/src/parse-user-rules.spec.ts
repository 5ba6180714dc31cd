import { describe, expect, it } from '@jest/globals';
import { classify } from './classify.js';
import { parseUserRules } from './parse-user-rules.js';

describe('rules of a configuration', () => {
  it('are asked before the built-in ones', () => {
    const rules = parseUserRules('[{"id":"own.deploy","title":"deploy","commands":["deploy-site *"]}]');
    expect(classify('sudo deploy-site now', { rules })).toMatchObject({ verdict: 'destructive', ruleId: 'own.deploy' });
    expect(parseUserRules(undefined)).toEqual([]);
  });

  it.each(['{', '{}', '[{"id":"X"}]', '[{"id":"a","title":"t","commands":["/(/"]}]'])('refuses %s', (text) => {
    expect(() => parseUserRules(text)).toThrow(expect.objectContaining({ code: 'invalid_config' }));
  });
});
