import { describe, expect, it } from '@jest/globals';
import { sshAddress } from './engine-address.js';

describe('sshAddress', () => {
  it('an address names a machine, and may name a user, a port and a socket', () => {
    expect(sshAddress('ssh://nas.lan')).toEqual({
      url: 'ssh://nas.lan',
      destination: ['--', 'nas.lan'],
      socketPath: '/var/run/docker.sock',
    });
    expect(sshAddress('ssh://me@[fd00::2]:2222/run/user/1000/docker.sock')).toMatchObject({
      destination: ['-l', 'me', '-p', '2222', '--', 'fd00::2'],
      socketPath: '/run/user/1000/docker.sock',
    });
  });

  it('a name that looks like an option stays a name', () => {
    expect(sshAddress('ssh://-oProxyCommand=x')?.destination).toEqual(['--', '-oProxyCommand=x']);
  });

  it('a path is a socket on this machine', () => {
    expect(sshAddress('/var/run/docker.sock')).toBeNull();
  });
});
