import { getEventListeners } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { emptySpace } from '@aish/contracts/spaces';
import { AT, goalOf, hostOf } from '@aish/client/testing/fixtures';
import { json, startScriptedServer, type ScriptedServer } from '@aish/client/testing/scripted.server';
import { LineAsker } from './ask-line.js';
import { runCli } from './run.js';

const nas = hostOf('nas', { keys: [] });
const schedule = (at: string | null) => ({ at, timezone: 'UTC', nextAt: null, sentAt: null });
const seen = [
  { key: `ssh-rsa ${'B'.repeat(68)}`, fingerprint: 'SHA256:rsa' },
  { key: `ssh-ed25519 ${'A'.repeat(68)}`, fingerprint: 'SHA256:ed25519' },
];

let server: ScriptedServer;
let folder: string;

beforeEach(async () => {
  server = await startScriptedServer();
  folder = mkdtempSync(join(tmpdir(), 'aish-setup-'));
  writeFileSync(join(folder, 'token'), 'aish_secret\n', { mode: 0o600 });
  server.on('GET /v1/doctor', json({ ok: true, checks: [] }));
  server.on('POST /v1/hosts', json({ host: nas, seen }, 201));
  server.on('POST /v1/hosts/nas/trust', json(hostOf('nas')));
  server.on('GET /v1/brief/schedule', json(schedule(null)));
  server.on('PUT /v1/brief/schedule', json(schedule('07:00')));
  server.on('PATCH /v1/spaces/home', json(emptySpace('home')));
  server.on('POST /v1/goals', json(goalOf(1), 201));
});

afterEach(async () => {
  await server.close();
  rmSync(folder, { recursive: true });
});

/** Runs setup with one line for each answer, and gives no first goal. */
async function setUp(...answers: readonly string[]): Promise<string> {
  let output = '';
  const stdin = new PassThrough();
  stdin.end(answers.map((each) => `${each}\n`).join(''));
  const out = { write: (text: string | Uint8Array) => ((output += String(text)), true) };
  await runCli(['setup', '--url', server.url, '--token-file', join(folder, 'token')], {
    stdin,
    stdout: out,
    stderr: out,
    config: { AISH_DATA: folder, TERM: 'xterm' },
    signal: new AbortController().signal,
  });
  return output;
}

const trusted = (): unknown =>
  server.requests.filter(({ path }) => path.endsWith('/trust')).map(({ body }) => JSON.parse(body) as unknown);

it('the answer yes to the fingerprint question trusts the key of the printed ssh-keygen command', async () => {
  const output = await setUp('nas', 'yes', 'later', '', '', '', 'none');
  expect(output).toContain('ssh-keygen -lf /etc/ssh/ssh_host_ed25519_key.pub');
  expect(trusted()).toEqual([{ keys: [seen[1]?.key] }]);
});

it('setup accepts an address with a user and a port', async () => {
  await setUp('nas=ssh://root@nas.lan:2222', 'no', '', '', '', 'none');
  const added = server.requests.find(({ path }) => path === '/v1/hosts');
  expect(JSON.parse(added?.body ?? '')).toEqual({ name: 'nas', address: 'nas.lan', user: 'root', port: 2222 });
});

it('a typed fingerprint trusts its key after setup rejected an invalid answer', async () => {
  const output = await setUp('nas', 'maybe', 'SHA256:rsa', 'later', '', '', '', 'none');
  expect(output).toContain('“maybe” is not one of the fingerprints above');
  expect(trusted()).toEqual([{ keys: [seen[0]?.key] }]);
});

it.each(['yes', 'no'])('setup shows the line for authorized_keys after the answer %s', async (answer) => {
  const output = await setUp('nas', answer, 'later', '', '', '', 'none');
  expect(output).toContain('authorized_keys');
  expect(output).toContain(nas.authorizedKeys);
});

it('setup names an answer that is neither Enter nor later, and no leaves the line for later', async () => {
  const output = await setUp('nas', 'yes', '/srv/media', 'no', '', '', '', 'none');
  expect(output).toContain('“/srv/media” is not an answer: Enter or later');
  expect(server.requests.some(({ path }) => path === '/v1/hosts/nas/check')).toBe(false);
});

it('the answer yes schedules the daily check, and setup does not offer an existing check again', async () => {
  const scheduled = (): unknown =>
    server.requests
      .filter(({ method, path }) => method === 'PUT' && path === '/v1/brief/schedule')
      .map(({ body }) => JSON.parse(body) as unknown);
  expect(await setUp('nas', 'yes', 'later', 'perhaps', 'yes', '', '', 'none')).toContain('every day at 07:00');
  const { timeZone: timezone } = Intl.DateTimeFormat().resolvedOptions();
  expect(scheduled()).toEqual([{ at: '07:00', timezone }]);
  server.on('GET /v1/brief/schedule', json(schedule('06:30')));
  expect(await setUp('nas', 'yes', 'later', '', '', 'none')).not.toContain('every morning');
  expect(scheduled()).toHaveLength(1);
});

it('the answer no trusts no key, and setup prints how to trust the host later', async () => {
  expect(await setUp('nas', 'no', '', '', 'none')).toContain('aish host trust nas');
  expect(trusted()).toEqual([]);
});

it('setup explains that a path is not a folder name, and asks again', async () => {
  const output = await setUp('', '/srv/media', 'media', '', 'none');
  expect(output).toContain('lowercase letters');
  expect(output).not.toMatch(/pattern|\^\[/);
  expect(output.match(/3\. A host folder/g)).toHaveLength(2);
  const change = server.requests.find(({ method }) => method === 'PATCH');
  expect(JSON.parse(change?.body ?? '{}')).toMatchObject({ hostFolders: ['media'] });
});

it('an answer that is neither yes nor no makes setup ask about the network again', async () => {
  const target = { host: 'nas.lan', port: 80, tls: false };
  const secret = { name: 'TOKEN', targets: [target], exposed: false, body: false, certificate: null };
  server.on('PUT /v1/secrets/TOKEN', json({ ...secret, setBy: 'admin', setAt: AT }));
  const output = await setUp('', '', 'TOKEN=http://nas.lan', 'a secret value', 'perhaps', 'yes', 'none');
  expect(output.match(/Is it on your local network/g)).toHaveLength(2);
});

it('LineAsker removes its abort listeners when it is closed', () => {
  const { signal } = new AbortController();
  const out = { write: () => true };
  for (let n = 0; n < 12; n += 1) {
    new LineAsker({ stdin: new PassThrough(), stdout: out, stderr: out, config: { TERM: 'xterm' }, signal }).close();
  }
  expect(getEventListeners(signal, 'abort')).toHaveLength(0);
});
