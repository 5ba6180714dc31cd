import { describe, expect, it } from '@jest/globals';
import { hostAdvice } from './host-advice.js';

describe('the advice about a host that the check did not reach', () => {
  it.each([
    ['aish@10.0.0.2: Permission denied (publickey).', 'authorized_keys'],
    ['not trusted yet: aish host trust nas', 'trust it'],
    ['Host key verification failed.', 'a different key'],
    ['connect to host 10.0.0.2 port 22: Connection refused', 'No SSH server'],
    ['connect to host 10.0.0.2 port 22: Connection timed out', 'cannot reach'],
    ['kex_exchange_identification: Connection closed by remote host', 'journalctl'],
  ])('a host that the check did not reach gets the right advice: %s', (detail, words) => {
    expect(hostAdvice(detail)).toContain(words);
  });
});
