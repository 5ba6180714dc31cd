import { describe, expect, it } from '@jest/globals';
import { pathsLiftedByCall, pathsRefusedByCall, placesLiftedByCall, refusedForCall } from './refused-calls.js';

const refusal = (action: string, paths: readonly string[] = [], lifted: readonly string[] = []) => [
  { step: 3, action, words: 'leave it alone', paths, lifted },
];
const QUOTE = 'You refused this at step 3: "leave it alone".';
const backups = refusal('rm -rf /data/backups', ['/data/backups']);
const asked = (args: object, refusals = backups) => refusedForCall(JSON.stringify(args), refusals)?.quote ?? null;

describe('a tool call after a refusal', () => {
  it.each([
    { path: '/data/backups' },
    { path: '/data/backups/2026/one.tar' },
    { path: 'file:///data/backups/one.tar' },
    { path: '/data' },
    { files: [{ from: '/data/./x/../backups/a', to: '/tmp/a' }] },
    { command: 'mv /data/backups /tmp/gone' },
    { code: 'shutil.rmtree("/data/backups")' },
    { code: 'shutil.rmtree("/mnt/../data/backups")' },
    { url: 'file:///data/%62ackups/a' },
    { files: { '/data/backups/a': 'delete' } },
    { body: String.raw`{"path":"\/data\/backups"}` },
    { dir: '/data', name: 'backups' },
    { path: '/dat?/backups' },
    { uri: 'sftp://nas/data/backups' },
  ])('aish asks about a call that names the refused path: %j', (args) => {
    expect(asked(args)).toBe(QUOTE);
  });

  it.each([
    { path: '/data/other' },
    { path: '/data/backups-old' },
    { text: 'the backups are fine, and / or not' },
    {},
    { n: 3 },
  ])('aish does not ask about a call that does not name the refused path: %j', (args) => {
    expect(asked(args)).toBeNull();
  });

  it('aish asks about a call that names a refused file of the workspace', () => {
    const logs = refusal('rm -rf logs', ['/workspace/logs']);
    expect(asked({ path: 'logs/a.log' }, logs)).toBe(QUOTE);
    expect(asked({ path: 'build' }, logs)).toBeNull();
    const lifted = pathsLiftedByCall('{"path":"logs"}');
    expect(asked({ path: 'logs' }, refusal('rm -rf logs', ['/workspace/logs'], lifted))).toBeNull();
    expect(pathsLiftedByCall('{"path":".."}')).not.toContain('/');
  });

  it('aish does not ask about a word that is not a path, even if everything in the workspace was refused', () => {
    const all = refusal('rm -rf ./*', ['/workspace/*']);
    expect(asked({ message: 'hello' }, all)).toBeNull();
    expect(asked({ path: '/workspace/notes.txt' }, all)).toBe(QUOTE);
    expect(asked({ path: '/' }, all)).toBe(QUOTE);
  });

  it.each<[string, object]>([
    ['ssh nas rm -rf /tank/logs', { host: 'nas', command: 'uptime' }],
    ['ssh nas rm -rf /tank/logs', { command: 'ssh root@nas uptime' }],
    ['curl -X DELETE http://shop.example/a', { url: 'https://SHOP.example/b' }],
  ])('after a refusal of "%s", aish asks about a call that names the same host: %j', (action, args) => {
    expect(asked(args, refusal(action))).toBe(QUOTE);
    expect(asked({ text: 'bananas and a workshop.examples' }, refusal(action))).toBeNull();
    const lifted = placesLiftedByCall(JSON.stringify(args));
    expect(asked(args, refusal(action, [], lifted))).toBeNull();
  });

  it('aish no longer asks about a call once a person has allowed the same path', () => {
    const lifted = pathsLiftedByCall('{"path":"/data/backups"}');
    expect(asked({ path: '/data/backups' }, refusal('rm -rf /data/backups', ['/data/backups'], lifted))).toBeNull();
  });

  it('calls that name a refused path count as attempts, and other calls to the same host do not', () => {
    const twice = [...backups, ...refusal('files.delete {"path":"/data/backups"}', ['/data/backups'])];
    expect(refusedForCall('{"path":"/data/backups/a"}', backups)).toMatchObject({ attempt: 1 });
    expect(refusedForCall('{"path":"/data/backups/a"}', twice)).toMatchObject({ attempt: 2 });
    const onHost = refusal('ssh nas rm -rf /tank/logs');
    expect(refusedForCall('{"host":"nas","command":"reboot"}', onHost)).toMatchObject({ attempt: 0 });
  });

  it('a refused call protects the paths and places in its arguments, and nothing if it names none', () => {
    expect(pathsRefusedByCall('{"path":"logs/a.log"}')).toEqual(['/workspace/logs/a.log']);
    expect(pathsRefusedByCall('{"url":"http://nas/api/1"}')).not.toBeNull();
    expect(pathsRefusedByCall('{"command":"rm -rf logs"}')).toEqual(['/workspace/logs']);
    expect(pathsRefusedByCall('{"entity":"light.kitchen","on":true}')).toBeNull();
  });

  it('the words of a sentence in a refused call protect nothing', () => {
    const paths = pathsRefusedByCall('{"to":"eve@evil.example","text":"the notes"}') ?? [];
    expect(paths).toEqual([]);
    const sent = refusal('mail {"to":"eve@evil.example","text":"the notes"}', paths);
    expect(asked({ to: 'bob@home.example', text: 'the notes' }, sent)).toBeNull();
  });
});
