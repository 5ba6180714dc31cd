import { describe, expect, it } from '@jest/globals';
import { whyNotMounted } from '@aish/contracts/host-folders';
import { mountOptions } from './mount-options.js';

describe('checks of host folders at the start', () => {
  it('a host folder may not be a system folder, or be inside or above one', () => {
    for (const path of ['/etc', '/etc/ssl', '/', '/var', '/var/lib/docker/volumes', '/usr/share', '/run', '/proc/1'])
      expect([path, typeof whyNotMounted(path, [])]).toEqual([path, 'string']);
    for (const path of ['/srv/media', '/home/me', '/mnt', '/run/media/me/usb', '/etcetera', '/var/tmp/x'])
      expect([path, whyNotMounted(path, [])]).toEqual([path, null]);
  });

  it('a host folder may not be inside or above a folder of this service', () => {
    const ours = ['/var/run/docker.sock', '/srv/aish/state'];
    expect(whyNotMounted('/srv/aish/state/x', ours)).toMatch(/within \/srv\/aish\/state/);
    expect(whyNotMounted('/srv/aish', ours)).toMatch(/contains \/srv\/aish\/state/);
    expect(whyNotMounted('/srv/other', ours)).toBeNull();
  });

  it('a host folder has the options of the innermost, newest mount that contains it', () => {
    const mountinfo = [
      '22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw',
      '30 22 8:2 / /srv rw,nosuid,nodev shared:2 - ext4 /dev/sdb1 rw',
      '31 30 8:3 / /srv/my\\040disk ro,nosuid - xfs /dev/sdc1 ro',
      '32 22 8:4 / /opt rw - ext4 /dev/sdd1 rw',
      '33 32 8:5 / /opt rw,nodev - ext4 /dev/sde1 rw',
      '',
    ].join('\n');
    expect(mountOptions('/home/me', mountinfo)).toEqual(['rw', 'relatime']);
    expect(mountOptions('/srv/media', mountinfo)).toEqual(['rw', 'nosuid', 'nodev']);
    expect(mountOptions('/srv/my disk/films', mountinfo)).toEqual(['ro', 'nosuid']);
    expect(mountOptions('/srvx', mountinfo)).toEqual(['rw', 'relatime']);
    expect(mountOptions('/opt', mountinfo)).toEqual(['rw', 'nodev']);
  });
});
