import { describe, expect, it } from '@jest/globals';
import { configChanges } from './config-changes.js';
import { ConfigDocument } from './config-document.js';
import { SCHEMA_FILE, configFiles, readConfigFiles } from './config-files.js';
import { emptySpace } from './spaces.js';

const { name: _name, changedBy: _by, changedAt: _at, ...EMPTY } = emptySpace('');
const config = ConfigDocument.parse({
  secrets: { TOKEN: { targets: [{ host: 'grafana.lan' }] } },
  hosts: { nas: { address: 'nas.lan', prelude: 'zfs snapshot tank@{name}' } },
  images: { media: { packages: ['ffmpeg'] } },
  spaces: { media: { ...EMPTY, hosts: ['nas'], instructions: 'Line one.\nLine two: with a colon.\n' } },
  events: { sources: { alerts: { proof: 'github' } }, rules: [{ source: 'alerts', goal: { text: 'look' } }] },
  schedules: { goals: [{ cron: '0 3 * * *', goal: { text: 'tidy # not a comment' } }], brief: { at: '07:00' } },
  brief: '# my rules\nthresholds:\n  disk: 80\n',
});

describe('the files of a configuration', () => {
  it('reading the files gives the same configuration', () => {
    expect(configChanges(config, readConfigFiles(configFiles(config)).config)).toEqual([]);
  });

  it('the files contain only what differs from the defaults', () => {
    const files = configFiles(config);
    expect(files['hosts.yaml']).toContain('nas:\n  address: nas.lan\n  prelude: zfs snapshot tank@{name}\n');
    expect(files['spaces.yaml']).not.toContain('deciders');
    expect(files['brief.yaml']).toBe(config.brief);
  });

  it('each file names its part of the JSON schema', () => {
    const files = configFiles(config);
    const [, path = ''] =
      /^# yaml-language-server: \$schema=schema\.json#\/(\S+)\n/.exec(files['spaces.yaml'] ?? '') ?? [];
    let part: unknown = JSON.parse(files[SCHEMA_FILE] ?? '{}');
    for (const name of path.split('/')) part = (part as Record<string, unknown>)[name];
    expect(part).toMatchObject({ type: 'object', additionalProperties: { additionalProperties: false } });
  });

  it.each([
    ['spaces.yaml', 'media:\n  hosts: [nas]\n  hosst: []\n', 'spaces.yaml, line 3'],
    ['hosts.yaml', 'nas:\n  address: nas.lan\n  port: many\n', 'hosts.yaml, line 3'],
    ['hosts.yaml', 'nas:\n  address: "nas.lan\n', 'hosts.yaml, line'],
    ['events.yaml', 'rules:\n  - source: alerts\n    goal: {text: ""}\n', 'events.yaml, line 3'],
  ])('an error in %s names the file and the line', (name, text, place) => {
    expect(() => readConfigFiles({ [name]: text })).toThrow(place);
  });

  it('the place of a value is its line in its file', () => {
    const { placeOf } = readConfigFiles({ 'spaces.yaml': 'media:\n  hosts: [nas]\nlab:\n  hosts: [pi]\n' });
    expect(placeOf('spaces.lab')).toBe('spaces.yaml, line 4');
  });
});
