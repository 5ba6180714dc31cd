import { describe, expect, it } from '@jest/globals';
import { NOW, look, type Printed } from './testing/lab-fixture.js';
import { whatChanged } from './what-changed.js';

const changed = (changes: Printed) =>
  whatChanged(look('nas', NOW), look('nas', NOW, changes)).map(({ probe, name, before, after }) => [
    probe,
    name,
    before,
    after,
  ]);

describe('whatChanged', () => {
  it('two checks of the same state show no change', () => {
    expect(changed({})).toEqual([]);
  });

  it('whatChanged lists items that were added, upgraded or changed', () => {
    expect(
      changed({
        package: { openssl: { version: '3.5.2' }, htop: { version: '3' } },
        port: { 'tcp 0.0.0.0:8080': { process: 'python3' }, 'udp 0.0.0.0:51234': { process: 'x' } },
        user: { root: { keys: 'SHA256:abc SHA256:new' } },
        container: { immich: { image: 'immich:3', imageId: 'sha256:bb' } },
        size: { '/srv': { kb: 102_400 } },
      }),
    ).toEqual([
      ['package', 'htop', null, '3'],
      ['package', 'openssl', '3.5.1', '3.5.2'],
      ['container', 'immich', 'running, immich:2, aa', 'running, immich:3, bb'],
      ['port', 'tcp 0.0.0.0:8080', null, 'python3'],
      ['user', 'root', '/bin/bash SHA256:abc', '/bin/bash SHA256:abc SHA256:new'],
      ['size', '/srv', '10 MiB', '100 MiB'],
    ]);
  });

  it('a probe that did not finish reports no change', () => {
    const newer = look('nas', NOW);
    const cut = newer.readings.map((reading) =>
      reading.probe === 'package' ? { ...reading, facts: [], done: false } : reading,
    );
    expect(whatChanged(look('nas', NOW), { ...newer, readings: cut })).toEqual([]);
  });

  it('whatChanged can also compare two hosts', () => {
    expect(whatChanged(look('nas', NOW), look('web', NOW, { package: { curl: { version: '8' } } }))).toEqual([
      { host: 'web', probe: 'package', name: 'curl', before: null, after: '8' },
    ]);
  });
});
