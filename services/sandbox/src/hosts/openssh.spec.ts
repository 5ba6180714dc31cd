import { describe, expect, it } from '@jest/globals';
import { readEnd } from './openssh.js';

const BEGUN =
  'OpenSSH_10.0p2\r\nAuthenticated to nas ([10.0.0.5]:22) using "publickey".\r\ndebug1: Sending command: x\r\n';

describe('the end of a command on a host', () => {
  it.each([
    ['it said its code', `${BEGUN}debug1: Exit status 3\r\n`, 3, 3],
    ['its code is that of a broken connection', `${BEGUN}debug1: Exit status 255\r\n`, 255, 255],
    ['the connection broke', `${BEGUN}client_loop: send disconnect: Broken pipe\r\n`, 255, null],
    ['it was killed there', `${BEGUN}debug1: Exit status -1\r\n`, 255, null],
    ['OpenSSH was killed here', BEGUN, null, null],
    ['nothing began', 'debug1: Connecting\r\nConnection refused\r\n', 255, 255],
  ])('readEnd reports how a command on a host ended: %s', (_, log, code, exitCode) => {
    expect(readEnd(log, code).exitCode).toBe(exitCode);
  });

  it("readEnd returns OpenSSH's messages without its debug lines", () => {
    expect(readEnd('debug1: x\r\nHost key verification failed.\r\n', 255).log).toBe('Host key verification failed.');
  });
});
