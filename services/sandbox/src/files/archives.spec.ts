import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { SKIPPED_LIST, parseSkipped } from '@aish/contracts/skipped';
import { createLogger, type RunningService } from '@aish/http';
import { extract } from 'tar-stream';
import { Caller, cleanUp, newTestSettings, type TestSettings } from '../../testing/sandbox.fixture.js';
import { startSandbox } from '../start-sandbox.js';

jest.setTimeout(60_000);

const MIB = 2 ** 20;

let ground: TestSettings;
let service: RunningService;
let sandbox: Caller;

function servesWith(env: Readonly<Record<string, string>>): void {
  beforeAll(async () => {
    ground = await newTestSettings({ RUN_WORKSPACE_MAX_MB: '64', ...env });
    const logger = createLogger('error', 'sandbox');
    service = await startSandbox(ground.config, logger, { version: '0.0.0', handleSignals: false });
  });
  beforeEach(() => {
    sandbox = new Caller(service.url, ground.config.SANDBOX_TOKEN);
  });
  afterAll(async () => {
    await service.app.close();
    await cleanUp(ground);
  });
}

function pull(what: 'archive?path=' | 'backup'): Promise<Response> {
  const headers = { authorization: `Bearer ${ground.config.SANDBOX_TOKEN}` };
  const at = `${service.url}/v1/workspaces/${sandbox.workspaceId}/${what}`;
  return fetch(at, { headers, signal: AbortSignal.timeout(30_000) });
}

/** Returns the contents of an archive by name. A long file is represented by its size only. */
async function untar(response: Response): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  const bytes = Buffer.from(await response.arrayBuffer());
  await new Promise<void>((resolve, reject) => {
    const parsed = extract({ filenameEncoding: 'latin1' });
    parsed.on('entry', (headers, stream, next) => {
      void (async () => {
        const content = await buffer(stream);
        found[headers.name] = content.length > MIB ? `${content.length}` : content.toString();
        next();
      })();
    });
    parsed.on('finish', resolve);
    parsed.on('error', reject);
    parsed.end(bytes);
  });
  return found;
}

describe('archives', () => {
  servesWith({ FILES_MAX_MB: '2' });

  it('an archive can contain unreadable files, names that are not UTF-8, and very large files', async () => {
    await sandbox.run(
      `mkdir -p closed/in; echo 1 > closed/in/one; echo 2 > shut; chmod 000 shut closed; echo 3 > $'caf\\xe9'; truncate -s 3M large`,
    );
    const response = await pull('archive?path=');
    expect(response.status).toBe(200);
    expect(await untar(response)).toEqual({
      './': '',
      './closed/': '',
      './closed/in/': '',
      './closed/in/one': '1\n',
      './shut': '2\n',
      './caf\xe9': '3\n',
      './large': String(3 * MIB),
    });
  });

  it('the archive and the listing of an empty workspace are empty', async () => {
    await sandbox.run('true');
    expect(await untar(await pull('archive?path='))).toEqual({ './': '' });
    expect((await sandbox.ask('GET', `/v1/workspaces/${sandbox.workspaceId}/files`)).body).toMatchObject({ items: [] });
  });

  it('an archive ends with a list of the files that it omits, and contains all others', async () => {
    const socket = 'import socket; socket.socket(socket.AF_UNIX).bind("door")';
    await sandbox.run(`mkdir a; mkfifo a/pipe; python3 -c '${socket}'; echo z > z; echo mine > ${SKIPPED_LIST}`);
    await sandbox.run('truncate -s 50M h1 h2 h3');
    const { './z': last, [`./${SKIPPED_LIST}`]: mine, ...found } = await untar(await pull('archive?path='));
    expect([last, mine]).toEqual(['z\n', 'mine\n']);
    expect(parseSkipped(found['aish-skipped-1.txt'] ?? '')).toEqual([
      { path: 'a/pipe', why: 'it is a pipe' },
      { path: 'door', why: 'it is a socket' },
      { path: 'h3', why: 'the archive would be larger than twice RUN_WORKSPACE_MAX_MB' },
    ]);
    expect(Object.keys(found)).not.toContain('./a/pipe');
  });
});

describe('archives of workspaces without layers', () => {
  // With layers, a reader would not see the changes of a command that began later.
  servesWith({ SANDBOX_LAYERS: 'off' });

  it.each([
    ['shrinks', 'truncate -s 1M', 'it shrank while it was read: its end is filled with zeros'],
    ['grows', 'echo more >>', 'it changed while it was read'],
  ])('an archive is complete even if a file %s while the archive is being read', async (_, change, why) => {
    await sandbox.run('head -c 50M /dev/urandom > first; echo 2 > second');
    // Nobody reads the response yet, so the script that writes the archive blocks in the middle of the file.
    const response = await pull('backup');
    await sandbox.run(`${change} first`);
    const { './first': first, './second': second, [SKIPPED_LIST]: list } = await untar(response);
    expect([first, second]).toEqual([String(50 * MIB), '2\n']);
    expect(parseSkipped(list ?? '')).toEqual([{ path: 'first', why }]);
  });
});
