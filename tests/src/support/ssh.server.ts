import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Machine } from './machines.js';

const run = promisify(execFile);

/** A dropbear on a separate machine with its own keys. It admits the user of the tests by key only. */
export interface SshServer {
  /** Settings for `ssh -F`, with the requested name of the machine. */
  readonly config: string;
  stop(): Promise<void>;
}

export async function startSshServer(machine: Machine, name: string): Promise<SshServer> {
  const dir = await mkdtemp(join(tmpdir(), 'aish-ssh-'));
  const [home, hostKey, key, config] = ['home', 'host-key', 'key', 'config'].map((file) => join(dir, file)) as [
    string,
    string,
    string,
    string,
  ];
  const { username, homedir } = userInfo();
  await run('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', key]);
  await mkdir(join(home, '.ssh'), { recursive: true, mode: 0o700 });
  await writeFile(join(home, '.ssh', 'authorized_keys'), await readFile(`${key}.pub`), { mode: 0o600 });
  const { stdout: made } = await run('dropbearkey', ['-t', 'ed25519', '-f', hostKey]);
  const hostPublic = made.split('\n').find((line) => line.startsWith('ssh-ed25519 '));
  await writeFile(join(dir, 'known_hosts'), `${machine.address} ${hostPublic}\n`);
  const settings = {
    HostName: machine.address,
    User: username,
    IdentityFile: key,
    IdentitiesOnly: 'yes',
    UserKnownHostsFile: join(dir, 'known_hosts'),
    StrictHostKeyChecking: 'yes',
  };
  const lines = Object.entries(settings).map(([setting, value]) => `  ${setting} ${value}`);
  await writeFile(config, [`Host ${name}`, ...lines, ''].join('\n'));
  // Dropbear reads keys only from the home of the user, so `ip` gives it separate mounts.
  const serve = 'mount --bind "$1" "$2" && exec dropbear -F -E -s -r "$3" -p "$4:22" -P "$3.pid"';
  const args = ['netns', 'exec', machine.namespace, 'sh', '-c', serve, 'sh', home, homedir, hostKey, machine.address];
  const server = spawn('ip', args, { stdio: ['ignore', 'ignore', 'pipe'] });
  const ended = once(server, 'exit');
  let log = '';
  const listens = new Promise<boolean>((resolve) => {
    server.stderr.setEncoding('utf8').on('data', (text: string) => {
      log += text;
      if (log.includes('Not backgrounding')) resolve(true);
    });
    void ended.then(() => resolve(false));
  });
  const stop = async () => {
    server.kill('SIGTERM');
    await ended;
    await rm(dir, { recursive: true, force: true });
  };
  if (await listens) return { config, stop };
  await stop();
  throw new Error(`dropbear did not start:\n${log}`);
}
