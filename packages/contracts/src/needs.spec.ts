import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { hiddenFields, needLine, needName, needRequest, readNeed } from './needs.js';

describe('what a model needs', () => {
  it.each([
    [
      'secret GRAFANA_TOKEN for https://grafana.lan:3000: to read the alerts',
      'secret GRAFANA_TOKEN for https://grafana.lan:3000',
    ],
    ['secret $TMDB_KEY for api.themoviedb.org, which has the titles', 'secret TMDB_KEY for https://api.themoviedb.org'],
    ['secret KEY for http://10.0.0.2:8080/api/v1 because it asks for one', 'secret KEY for http://10.0.0.2:8080'],
    ['secret KEY for grafana.lan', 'secret KEY for https://grafana.lan'],
    ['host nas: the backups are there', 'host nas'],
    ['network to api.github.com: to read releases', 'network api.github.com:443'],
    ['network *.example.org:8443', 'network *.example.org:8443'],
    ['image ffmpeg: to convert films', 'image ffmpeg'],
    ['toolbox media', 'image media'],
  ])('the need is parsed from the line: %s', (text, name) => {
    const need = readNeed(text);
    expect(need === null ? null : needName(need)).toBe(name);
  });

  it.each([
    'more disk',
    'secret lower for grafana.lan',
    'secret KEY for *.example.org',
    'secret KEY for https://user@grafana.lan',
    'secret KEY',
    'host nas;reboot',
    'host -oProxyCommand=x',
    'network 1.2.3.4.5',
    'network grafana.lan:99999',
    'image ../x',
    '',
  ])('a line that names nothing grantable is refused: %j', (text) => expect(readNeed(text)).toBeNull());

  it('the line that a person sees is parsed into the same need, with any reason', () => {
    const name = fc.constantFrom('secret A_KEY for https://a.lan:3000', 'host nas', 'network a.lan:80', 'image x');
    fc.assert(
      fc.property(name, fc.string(), (what, reason) => {
        const need = readNeed(`${what}: ${reason}`);
        expect(need).not.toBeNull();
        if (need !== null) expect([needName(need), readNeed(needLine(need))]).toEqual([what, need]);
      }),
    );
  });

  it('the form for a need hides secret values, and guesses whether a host is local', () => {
    const asked = (text: string) => {
      const need = readNeed(text);
      return need === null ? null : needRequest(need, 'goal');
    };
    const secret = asked('secret KEY for grafana.lan');
    expect(hiddenFields(secret)).toEqual(['value', 'certificate']);
    expect(hiddenFields(asked('secret KEY for http://grafana.lan'))).toEqual(['value']);
    expect(secret).toMatchObject({ properties: { local: { default: true }, for: { default: 'goal' } } });
    expect(asked('network api.github.com')).toMatchObject({ properties: { local: { default: false } } });
    expect(hiddenFields(asked('network api.github.com'))).toEqual([]);
    expect(Object.keys(asked('host nas')?.['properties'] ?? {})).toEqual(['for']);
    expect(hiddenFields(null)).toEqual([]);
  });
});
