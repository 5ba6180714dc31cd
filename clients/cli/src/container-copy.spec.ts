import { describe, expect, it } from '@jest/globals';
import { containerLike, type InspectedContainer } from './container-copy.js';

const given = { Env: ['PATH=/bin', 'VERSION=1'], Labels: { title: 'aish', version: '1' }, Cmd: ['aish'], User: 'root' };
const old: InspectedContainer = {
  Id: 'abcdef0123456789',
  Image: 'sha256:old',
  Config: {
    Image: 'aish',
    Hostname: 'abcdef012345',
    Env: ['FAST_BASE_URL=http://gpu.lan', ...given.Env],
    Labels: { ...given.Labels, own: 'mine' },
    Cmd: ['aish'],
    User: '1000',
    Tty: false,
  },
  HostConfig: { Binds: ['/srv/aish:/var/lib/aish'], RestartPolicy: { Name: 'always' } },
  Mounts: [
    { Type: 'bind', Destination: '/var/lib/aish' },
    { Type: 'volume', Name: 'f00', Destination: '/unnamed' },
  ],
  NetworkSettings: {
    Networks: { bridge: { IPAMConfig: null }, home: { IPAMConfig: null, Aliases: ['aish', 'abcdef012345'] } },
  },
};

describe('the copy of a container with another image', () => {
  it('the copy has the settings of the person, and not those of the old image', () => {
    expect(containerLike(old, given, 'aish')).toEqual({
      Image: 'aish',
      Env: ['FAST_BASE_URL=http://gpu.lan'],
      Labels: { own: 'mine' },
      User: '1000',
      Tty: false,
      HostConfig: { Binds: ['/srv/aish:/var/lib/aish', 'f00:/unnamed'], RestartPolicy: { Name: 'always' } },
      NetworkingConfig: { EndpointsConfig: { home: { IPAMConfig: null, Aliases: ['aish'] } } },
    });
  });

  it('the copy keeps a host name that the person set', () => {
    const named = { ...old, Config: { ...old.Config, Hostname: 'nas' } };
    expect(containerLike(named, given, 'aish')).toMatchObject({ Hostname: 'nas' });
  });
});
