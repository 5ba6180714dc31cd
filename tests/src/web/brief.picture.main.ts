import { execFile } from 'node:child_process';
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { saveLabSnapshot, type LabReadingRow } from '@aish/database/lab.repository';
import { inTransaction } from '@aish/database/transaction';
import { ROOT } from '../support/service.process.js';
import { DARK, LIGHT, asHtml } from './terminal-html.js';
import { WebStack } from './web.stack.js';

/**
 * Makes the pictures of the brief, in a terminal and on the page, light and dark. The data of the hosts is invented,
 * and the rules, the command and the page are real. Run it after `npm run build`: `node
 * tests/dist/web/brief.picture.main.js`.
 */
const MOST_BYTES = 200_000;
const DAY_MS = 86_400_000;
const COLUMNS = 96;
const RULES = 'hosts:\n  nas:\n    backups: [/tank/backups]\n    tls: [nas.lan:443]\n';

interface Thing {
  readonly probe: string;
  readonly name: string;
  readonly values: Readonly<Record<string, string | number>>;
}

const system = (os: string, at: Date): Thing => ({ probe: 'system', name: 'system', values: { os, kernel: '6.12', now: Math.floor(at.getTime() / 1000), uptime: 900_000, load: 0.4, cpus: 4, reboot: 0, MemTotal: 16e6, MemAvailable: 9e6, SwapTotal: 0, SwapFree: 0 } }); // prettier-ignore
const disk = (used: number): Thing => ({ probe: 'disk', name: '/srv', values: { type: 'ext4', network: 0, answers: 1, kb: 1_000_000, used, free: 1_000_000 - used, inodes: 1_000, inodesFree: 900 } }); // prettier-ignore
const container = (name: string, image: string, more: object = {}): Thing => ({ probe: 'container', name, values: { engine: 'docker', image, imageId: `sha256:${image.slice(-1)}f3a9c1d2e4b7`, state: 'running', code: 0, restarts: 0, health: 'healthy', policy: 'unless-stopped', ...more } }); // prettier-ignore

/** Returns a fortnight of two hosts: a disk fills up, and today there are more faults. */
function looks(day: number, at: Date): ReadonlyMap<string, readonly Thing[]> {
  const isToday = day === 0;
  const backup = Math.floor(at.getTime() / 1_000) - (isToday ? 4 * 86_400 : 20_000);
  return new Map([
    [
      'nas',
      [
        system('Debian GNU/Linux 13 (trixie)', at),
        disk(860_000 - day * 12_000),
        { probe: 'backup', name: '/tank/backups', values: { readable: 1, files: 30, newest: backup, bytes: 9e9, median: 9e9 } },
        { probe: 'certificate', name: 'nas.lan:443', values: { ends: new Date(at.getTime() + (day + 5) * DAY_MS).toUTCString(), readable: 1 } },
        container('immich', isToday ? 'immich:2.4' : 'immich:2.3', isToday ? { health: 'unhealthy' } : {}),
        { probe: 'smart', name: '/dev/sda', values: { sleeping: 0, passed: 1, moved: 0, pending: 0, heat: 36, worn: 4 } },
      ],
    ],
    [
      'web',
      [
        system('Debian GNU/Linux 13 (trixie)', at),
        { probe: 'unit', name: 'caddy.service', values: { manager: 'systemd', state: isToday ? 'failed' : 'active', sub: '' } },
        ...(isToday ? [{ probe: 'port', name: 'tcp 0.0.0.0:8443', values: { process: '' } }] : []),
      ],
    ],
  ]); // prettier-ignore
}

function rowsOf(things: readonly Thing[]): readonly Pick<LabReadingRow, 'probe' | 'reading'>[] {
  const probes = [...new Set([...things.map(({ probe }) => probe), 'port'])];
  const readings = probes.map((probe) => {
    const facts = things.filter((each) => each.probe === probe).map(({ name, values }) => ({ name, values }));
    return { probe, reading: { probe, facts, skipped: [], nonsense: 0, done: true } };
  });
  return [{ probe: 'host', reading: { answered: true, detail: '' } }, ...readings];
}

const web = await WebStack.start();
const folder = await mkdtemp(join(tmpdir(), 'aish-picture-'));
const tokenFile = join(folder, 'token');
try {
  await writeFile(tokenFile, String(web.client.token), { mode: 0o600 });
  await web.db.pool.query(
    `insert into hosts (name, address, port, "user", login, created_by)
     select name, name || '.lan', 22, 'aish', 'certificate', 'ann' from unnest(array['nas', 'web']) as name`,
  );
  for (let day = 14; day >= 0; day -= 1) {
    const at = new Date(Date.now() - day * DAY_MS - 60_000);
    for (const [host, things] of looks(day, at))
      await inTransaction(web.db, (tx) => saveLabSnapshot(tx, host, at, rowsOf(things)));
  }
  await web.client.request('PUT', '/v1/brief/rules', { yaml: RULES });
  await web.client.request('PUT', '/v1/brief/schedule', { at: '07:00', timezone: 'Europe/Berlin' });
  const commands = [
    'aish brief --kept',
    'aish brief --since yesterday',
    'aish brief show backup-nas-1',
    'aish brief schedule',
  ];
  const printed: string[] = [];
  for (const command of commands) printed.push(`\u001B[1m$ ${command}\u001B[0m\n${await inTerminal(command)}`);
  for (const scheme of ['light', 'dark'] as const) await take(scheme, printed.join('\n').trimEnd());
} finally {
  await web.stop();
  await rm(folder, { recursive: true });
}

/** Returns the output of a command in a terminal. */
async function inTerminal(command: string): Promise<string> {
  const program = `${process.execPath} ${command.replace('aish', `${ROOT}clients/cli/bin/aish.mjs`)}`;
  const env = {
    ...process.env,
    AISH_URL: web.client.url,
    AISH_TOKEN_FILE: tokenFile,
    TERM: 'xterm-256color',
  };
  const args = ['-qefc', `stty cols ${COLUMNS}; ${program}`, '/dev/null'];
  const { stdout } = await promisify(execFile)('script', args, { env, timeout: 60_000 });
  return stdout.replaceAll('\r', '');
}

async function take(scheme: 'light' | 'dark', screen: string): Promise<void> {
  const colours = scheme === 'dark' ? DARK : LIGHT;
  const visitor = await web.visit('phone', { colorScheme: scheme });
  await visitor.go('lab');
  await visitor.page.getByText('Every day at 07:00').waitFor();
  await visitor.page.waitForTimeout(500);
  const phone = await visitor.page.screenshot();
  await visitor.close();
  const page = await web.browser.newPage({ viewport: { width: 1160, height: 640 } });
  const ground = scheme === 'dark' ? '#0d1117' : '#ffffff';
  await page.setContent(`<body style="margin:0;display:flex;gap:24px;padding:16px;background:${ground};box-sizing:border-box">
    <pre style="margin:0;flex:1;height:608px;box-sizing:border-box;padding:16px;border-radius:8px;border:1px solid #8884;background:${colours.ground};color:${colours.ink};font:13.5px/1.5 'DejaVu Sans Mono',monospace;white-space:pre-wrap">${asHtml(screen, colours)}</pre>
    <img style="height:608px;border-radius:12px;border:1px solid #8888" src="data:image/png;base64,${phone.toString('base64')}"></body>`);
  await page.waitForTimeout(500);
  const path = `${ROOT}docs/web/brief-${scheme}.png`;
  await page.screenshot({ path });
  await page.close();
  const { size } = await stat(path);
  if (size > MOST_BYTES) throw new Error(`${path} has ${size} bytes, more than ${MOST_BYTES}`);
}
