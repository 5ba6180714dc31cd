import { expect, it } from '@jest/globals';
import { readSshTarget } from './ssh-target.js';

it.each([
  ['nas', { address: 'nas' }],
  ['nas.lan:2222', { address: 'nas.lan', port: 2222 }],
  ['root@host:2299', { address: 'host', user: 'root', port: 2299 }],
  [' aish@192.168.1.7 ', { address: '192.168.1.7', user: 'aish' }],
  ['ssh://root@nas.lan:2222/', { address: 'nas.lan', user: 'root', port: 2222 }],
  ['ssh://nas.lan', { address: 'nas.lan' }],
  ['root@[fd00::7]:22', { address: 'fd00::7', user: 'root', port: 22 }],
  ['fd00::7', { address: 'fd00::7' }],
  ['root@fd00::7', { address: 'fd00::7', user: 'root' }],
])('%j is read as the host %j', (text, target) => expect(readSshTarget(text)).toEqual(target));

it.each(['', '@nas', 'root@', 'nas:', 'nas:ssh', 'a@b@c', 'https://nas.lan', 'nas/share', 'two words', '[fd00::7'])(
  '%j is not a valid host',
  (text) => expect(readSshTarget(text)).toBeNull(),
);
