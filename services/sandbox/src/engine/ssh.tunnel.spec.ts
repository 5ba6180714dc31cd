import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { sshAddress } from './engine-address.js';
import { SshTunnel } from './ssh.tunnel.js';

it('a tunnel that cannot open says where, why and what to do', async () => {
  const address = sshAddress('ssh://me@127.0.0.1:1');
  if (address === null) throw new Error('it is an address');
  const opening = new SshTunnel(address, join(tmpdir(), 'aish-no-tunnel.sock')).open();
  await expect(opening).rejects.toMatchObject({
    code: 'engine_unavailable',
    message: expect.stringMatching(/ssh:\/\/me@127\.0\.0\.1:1: .*refused\. The user .*without a password.*known_hosts/),
  });
});
