import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { TestApi } from '../testing/test-api.js';

const run = promisify(execFile);
const KEY = `ssh-ed25519 ${'A'.repeat(68)}`;
const CONFIG = {
  secrets: { GRAFANA_TOKEN: { targets: [{ host: 'grafana.lan' }] } },
  hosts: { nas: { address: 'nas.lan', keys: [KEY], prelude: 'zfs snapshot tank@{name}' } },
  spaces: { media: { hosts: ['nas'], secrets: ['GRAFANA_TOKEN'], instructions: 'Be careful.' } },
  events: { sources: { alerts: {} }, rules: [{ source: 'alerts', goal: { text: 'look', space: 'media' } }] },
  schedules: { goals: [{ cron: '0 3 * * *', goal: { text: 'tidy', space: 'media' } }], brief: { at: '07:00' } },
  brief: 'thresholds:\n  disk: 80\n',
};
const VALUES = { GRAFANA_TOKEN: 'glsa_not-a-real-token' };

describe('the configuration as one document', () => {
  let api: TestApi;
  let other: TestApi;
  let root: string;

  beforeAll(async () => {
    root = await mkdtemp(join(tmpdir(), 'aish-config-'));
    const settings = { HOSTS_CA_KEY: 'c'.repeat(64), MCP_SECRET_KEY: 'a'.repeat(64) };
    [api, other] = await Promise.all([
      TestApi.start({ ...settings, KNOWLEDGE_DIR: join(root, 'kb') }),
      TestApi.start(settings),
    ]);
  }, 60_000);
  afterAll(async () => {
    await Promise.all([api?.stop(), other?.stop()]);
    await rm(root, { recursive: true, force: true });
  });

  /** Commits a file to the knowledge base, as a person does. */
  async function commit(name: string, text: string): Promise<void> {
    const dir = join(root, 'kb');
    await mkdir(join(dir, 'config'), { recursive: true });
    await writeFile(join(dir, 'config', name), text);
    const who = ['-c', 'user.name=Ann', '-c', 'user.email=ann@example.org'];
    await run('git', ['-C', dir, 'add', 'config']);
    await run('git', ['-C', dir, ...who, 'commit', '--quiet', '--message', 'config']);
  }

  const apply = (config: object, more: object = {}, of = api) =>
    of.ask('POST', '/v1/config', { body: { config, ...more } });
  const show = async (of = api) => (await of.ask('GET', '/v1/config')).body;

  it('a dry run returns the changes and the secrets without a value, and stores nothing', async () => {
    const before = await show();
    const { status, body } = await apply(CONFIG, { dryRun: true });
    expect([status, body.needs]).toEqual([200, ['GRAFANA_TOKEN']]);
    expect(body.changes.map(({ what }: { what: string }) => what)).toEqual([
      'secret GRAFANA_TOKEN',
      'host nas',
      'space media',
      'event source alerts',
      'event rule alerts: look',
      'schedule 0 3 * * *: tidy',
      'brief brief',
      'brief brief.yaml',
    ]);
    expect(await show()).toEqual(before);
  });

  it('a secret without a value is refused, and nothing changes', async () => {
    const before = await show();
    const { status, body } = await apply(CONFIG);
    expect([status, body.detail]).toEqual([400, expect.stringContaining('GRAFANA_TOKEN')]);
    expect(await show()).toEqual(before);
  });

  it('applied to an empty server, an export gives the same configuration', async () => {
    const { status, body } = await apply(CONFIG, { secrets: VALUES });
    expect(status).toBe(200);
    expect(body.sources).toEqual([{ name: 'alerts', secret: expect.stringMatching(/\S{16}/) }]);
    expect(body.hosts).toEqual([{ name: 'nas', authorizedKeys: expect.stringContaining('cert-authority') }]);
    const exported = await show();
    expect(JSON.stringify(exported)).not.toContain(VALUES.GRAFANA_TOKEN);
    expect((await apply(exported, { dryRun: true })).body.changes).toEqual([]);
    expect((await apply(exported, { secrets: VALUES }, other)).status).toBe(200);
    expect(await show(other)).toEqual(exported);
    expect((await api.ask('GET', '/v1/hosts')).body.items[0].keys).toHaveLength(1);
  });

  it('one fault anywhere stores nothing, and the error names its place', async () => {
    const before = await show();
    const wrong = {
      ...CONFIG,
      hosts: { ...CONFIG.hosts, pi: { address: 'pi.lan' } },
      spaces: { lab: { hosts: ['none'] } },
    };
    const { status, body } = await apply(wrong);
    expect([status, body.code]).toEqual([400, 'host_not_given']);
    expect(body.errors).toEqual([{ path: 'spaces.lab', message: expect.stringContaining('There is no host none') }]);
    expect(await show()).toEqual(before);
  });

  it('invalid rules of the brief store nothing, and the error names the line', async () => {
    const { status, body } = await apply({ hosts: {}, brief: 'thresholds:\n  disk: full\n' });
    expect([status, body.detail]).toEqual([400, expect.stringMatching(/^brief\.yaml, line 2/)]);
    expect((await show()).hosts).toHaveProperty('nas');
  });

  it('a change is not applied if somebody else changed the configuration after it was shown', async () => {
    const { base } = (await apply({ brief: '' }, { dryRun: true })).body;
    await api.ask('PATCH', '/v1/spaces/media', { body: { instructions: 'Be quick.' } });
    expect((await apply({ brief: '' }, { base })).body.code).toBe('config_changed');
  });

  it('rules keep the order of the file, also with equal rules and after a removal in the middle', async () => {
    const rule = (text: string) => ({ source: 'alerts', goal: { text } });
    const texts = async () => (await show()).events.rules.map(({ goal }: { goal: { text: string } }) => goal.text);
    for (const wanted of [['a', 'b', 'a', 'c'], ['a', 'b', 'c'], ['b', 'a'], ['look']]) {
      const events = { sources: { alerts: {} }, rules: wanted.map(rule) };
      expect((await apply({ events })).status).toBe(200);
      expect(await texts()).toEqual(wanted);
    }
  });

  it('a change of the keys of a host alone is recorded as such', async () => {
    const hosts = { nas: { ...CONFIG.hosts.nas, keys: [KEY.replace('AAAA', 'BBBB')] } };
    await apply({ hosts });
    const { items } = (await api.ask('GET', '/v1/audit?limit=1')).body;
    expect(items[0]).toMatchObject({ action: 'host.trusted', subject: 'nas' });
  });

  it('things are removed after the things that use them', async () => {
    const none = { secrets: {}, hosts: {}, spaces: {}, events: {}, schedules: {}, brief: '' };
    expect((await apply(none)).status).toBe(200);
    expect((await apply(none, { dryRun: true })).body.changes).toEqual([]);
    expect((await api.ask('GET', '/v1/schedules')).body.items).toEqual([]);
  });

  it('doctor compares the server with the folder config of the knowledge base, and names the line of an error', async () => {
    const check = async () => {
      const { checks } = (await api.ask('GET', '/v1/doctor')).body;
      return checks.find(({ name }: { name: string }) => name === 'config');
    };
    expect(await check()).toBeUndefined();
    await commit('spaces.yaml', 'lab:\n  instructions: Be careful.\n');
    expect(await check()).toMatchObject({ state: 'warning', detail: expect.stringContaining('space lab') });
    await apply({ spaces: { lab: { instructions: 'Be careful.' } } });
    expect(await check()).toMatchObject({ state: 'ok' });
    await commit('spaces.yaml', 'lab:\n  instruction: Be careful.\n');
    expect(await check()).toMatchObject({ state: 'error', detail: expect.stringContaining('spaces.yaml, line 2') });
  });

  it('only an admin sees and applies a configuration', async () => {
    const token = await api.tokenWith('observe', 'operate', 'decide');
    expect((await api.ask('GET', '/v1/config', { token })).status).toBe(403);
    expect((await api.ask('POST', '/v1/config', { token, body: { config: {} } })).status).toBe(403);
  });
});
