import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { decisionOf, goalOf, hostOf, sessionOf, uuid } from '@aish/client/testing/fixtures';
import { json, startScriptedServer, type ScriptedServer } from '@aish/client/testing/scripted.server';
import { COMMAND_TABLE } from '@aish/views/commands/table';
import { runCli } from './run.js';
import { COMMANDS as TABLE } from './table.js';
import { splitWords } from '@aish/tui/meta/meta-commands';

const ID = uuid(7);
const ACTION = uuid(3001);

/** The first examples of the commands that the table declares with their endpoint. */
const DECLARED = COMMAND_TABLE.flatMap(({ name, call }): (readonly [string, string])[] => {
  const [example = ''] = TABLE.find((each) => each.name === name)?.examples ?? [];
  return call === null
    ? []
    : [[`${call.endpoint.method} ${call.endpoint.path.slice(1)}`, example.replace('aish ', '')]];
});

/** For each route of the api, the arguments of `aish` that call it. */
const COMMANDS: Readonly<Record<string, string>> = {
  ...Object.fromEntries(DECLARED),
  'GET v1/audit': 'audit',
  'GET v1/audit/check': 'audit --verify',
  'GET v1/backup': 'backup FILE',
  'GET v1/brief': 'brief --kept',
  'POST v1/brief': 'brief',
  'GET v1/brief/changes': 'brief --since yesterday',
  'POST v1/brief/findings/:id/mute': 'brief mute disk-nas-1',
  'POST v1/brief/findings/:id/fix': 'brief fix disk-nas-1',
  'GET v1/brief/schedule': 'brief schedule',
  'PUT v1/brief/schedule': 'brief schedule 07:00',
  'GET v1/brief/rules': 'brief rules',
  'PUT v1/brief/rules': 'brief rules FILE',
  'GET v1/decisions/:ref': 'show d17',
  'DELETE v1/decisions/:ref/verdict': 'decide d17 take-back',
  'POST v1/decisions/:ref/verdict': 'decide d17 skip',
  'POST v1/decisions/:ref/preview': 'preview d17',
  'GET v1/actions/:id/changes': `show ${ACTION} --changes`,
  'GET v1/actions/:id/output': `output ${ACTION}`,
  'GET v1/actions/:id/undo': `undo ${ACTION} --dry-run`,
  'POST v1/actions/:id/undo': `undo ${ACTION} --yes`,
  'GET v1/doctor': 'doctor',
  'GET v1/settings': 'config show',
  'GET v1/health': 'doctor --health',
  'POST v1/goals': 'norris tidy',
  'GET v1/goals/:ref': 'show 1',
  'POST v1/goals/:ref/resume': 'resume 1',
  'POST v1/goals/:ref/continue': 'resume 1 more',
  'PATCH v1/goals/:ref': 'set 1 --text x',
  'POST v1/goals/:ref/archive': 'archive 1',
  'POST v1/goals/:ref/unarchive': 'restore 1',
  'DELETE v1/goals/:ref': 'remove 1',
  'POST v1/sessions/:ref/archive': 'archive c12',
  'POST v1/sessions/:ref/unarchive': 'restore c12',
  'GET v1/goals/:ref/grants': 'grant list 1',
  'DELETE v1/goals/:ref/grants/:id': `grant remove 1 ${ID}`,
  'GET v1/goals/:ref/export': 'export 1',
  'GET v1/sessions/:ref/snapshots': 'undo c-12 --list',
  'PUT v1/secrets/:name': 'secret set GRAFANA_TOKEN --for https://grafana.lan',
  'PUT v1/images/:name': 'image add media --apt ffmpeg',
  'POST v1/images/:name/rebuild': 'image add media',
  'PATCH v1/spaces/:name': 'space set media --host nas',
  'GET v1/sessions/:id/secrets': 'show c12 --access',
  'PUT v1/sessions/:id/secrets': 'set c12 --secret GRAFANA_TOKEN',
  'GET v1/runbook-proposals': 'runbook list --proposed',
  'GET v1/runbook-proposals/:ref': 'runbook show p3',
  'POST v1/runbook-proposals/:ref/accept': 'runbook accept p3 --yes',
  'POST v1/runbook-proposals/:ref/reject': 'runbook reject p3',
  'GET v1/runbooks': 'runbook list',
  'GET v1/runbooks/:name': 'runbook show disk-full',
  'PUT v1/runbooks/:name': 'runbook import --dry-run FOLDER',
  'POST v1/runbooks/:name/accept': 'runbook accept disk-full --yes',
  'POST v1/event-sources': 'event source add alerts',
  'POST v1/event-rules': 'event rule add alerts "look at {{title}}"',
  'GET v1/events/:ref/test': 'event replay --dry-run e4',
  'POST v1/events/:ref/replay': 'event replay e4',
  'POST v1/schedules': 'norris tidy --every "0 3 * * *"',
  'GET v1/sessions/:id/files': 'file list c-12',
  'GET v1/sessions/:id/files/:form': 'file pull c-12 folder OUT --tar',
  'PUT v1/sessions/:id/files/:form': 'file push c-12 folder FILE --tar',
  'POST v1/sessions': 'ask hello',
  'POST v1/sessions/:ref/messages': 'ask hello -s 12',
  'GET v1/sessions': 'chats',
  'GET v1/sessions/:ref': 'show c12',
  'PATCH v1/sessions/:ref': 'rename c12 title',
  'DELETE v1/sessions/:ref': 'remove c12',
  'GET v1/sessions/:ref/turns': 'show c12',
  'GET v1/sessions/:ref/tools': 'mcp show --chat c12',
  'GET v1/sessions/:ref/grants': 'grant list c12 --tools',
  'PUT v1/sessions/:ref/grants': 'grant add c12 files.read',
  'POST v1/sessions/:ref/grants/revoke': 'grant remove c12 files.read',
  'GET v1/sessions/:ref/command-grants': 'grant list c12',
  'DELETE v1/sessions/:ref/command-grants/:id': `grant remove c12 ${ID}`,
  'GET v1/sessions/:ref/evidence': 'show c12 --evidence',
  'GET v1/sessions/:ref/results/:handle': 'output c12 r3',
  'POST v1/sessions/:ref/stop': 'stop c12',
  'GET v1/sessions/:ref/events': 'watch 1',
  'GET v1/sessions/:id/network': 'show c-12 --access',
  'PUT v1/sessions/:id/network': 'set c-12 --network none',
  'GET v1/sessions/:id/network/connections': 'show c-12 --access',
  'GET v1/sessions/:id/sandbox': 'show c-12 --access',
  'PUT v1/sessions/:id/sandbox': 'set c-12 --carry-over off',
  'POST v1/hosts': 'host add nas',
  'GET v1/hosts/:name/keys': 'host trust nas',
  'POST v1/hosts/:name/trust': 'host trust nas SHA256:x',
  'PUT v1/hosts/:name/prelude': 'host set nas --before none',
  'POST v1/hosts/:name/check': 'host check nas',
  'GET v1/models': 'model list',
  'POST v1/models/:preset/probe': 'model list --probe fast',
  'GET v1/safety/patterns': 'safety list',
  'GET v1/config': 'config export OUT5',
  'POST v1/config': 'config apply CONFIG --yes',
  'POST v1/safety/check': 'safety check ls',
  'POST v1/sign-in': 'login --out OUT',
  'POST v1/sign-in/:id': 'login --out OUT2',
  'POST v1/device': 'login --code --out OUT3',
  'POST v1/device/token': 'login --code --out OUT4',
  'GET v1/device/:code': 'token approve BCDF-GHJK',
  'POST v1/device/:code/decide': 'token approve BCDF-GHJK --yes',
  'POST v1/tokens': 'token add ann --scope observe',
  'POST v1/mcp/servers': 'mcp add http://m/mcp docs',
  'POST v1/mcp/programs': 'mcp add docs serve',
  'GET v1/mcp/tools': 'mcp show',
  'GET v1/mcp/tools/:label': 'mcp show docs.read',
  'POST v1/mcp/tools/:label/call': 'mcp call docs.read',
  'GET v1/mcp/resources': 'mcp show --resource',
  'GET v1/mcp/resources/content': 'mcp show --resource docs file:///a',
  'GET v1/mcp/prompts': 'mcp show --prompt',
  'POST v1/mcp/prompts/get': 'mcp show --prompt docs hello',
  'GET v1/knowledge/status': 'kb doctor',
  'GET v1/knowledge/nodes': 'kb list nas',
  'GET v1/knowledge/nodes/:id': 'kb show nas',
  'POST v1/knowledge/nodes': 'kb add NAS -s "the nas"',
  'POST v1/knowledge/lint': 'kb doctor --lint',
  'POST v1/knowledge/index': 'kb sync --files',
  'POST v1/knowledge/sync': 'kb sync',
  'GET v1/knowledge/doctor': 'kb doctor',
  'GET v1/knowledge/curation': 'kb curate',
  'POST v1/knowledge/plans': 'kb remove nas',
  'POST v1/knowledge/plans/apply': `kb remove nas --confirm ${ID}`,
  'GET v1/knowledge/graph': 'kb graph',
  'POST v1/knowledge/push': 'kb push',
  'POST v1/knowledge/init': 'kb init',
  'GET v1/memory': 'memory remove --all',
  'GET v1/memory/items': 'memory list',
  'POST v1/memory/items': 'remember "the nas is at 10.0.0.5"',
  'DELETE v1/memory/items/:number': 'memory remove 3',
  'POST v1/memory/clear': 'memory remove --all --yes',
  'POST v1/memory/prune': 'memory remove --older-than 365',
  'GET v1/memory/search': 'memory list nas',
  'GET v1/recall': 'recall nas',
  'POST v1/memory/inject': 'memory inject c-12',
  'POST v1/memory/session-ended': 'memory summarize c12 --later',
  'GET v1/memory/export': 'memory export',
  'POST v1/memory/import': 'memory import FILE',
  'POST v1/memory/summarize': 'memory summarize c-12',
  'GET v1/memory/candidates': 'memory review',
  'POST v1/memory/candidates/:number/reject': 'memory reject 3',
  'GET v1/memory/documents/:scope': 'memory document show user',
  'POST v1/memory/documents/:scope': 'memory document add user text',
  'POST v1/memory/documents/:scope/archives': 'memory document add user text --archive',
};

/** Routes that no command calls, with the reason. */
const WITHOUT: Readonly<Record<string, string>> = {
  'GET v1/actions/:id/output/line':
    'the pager of the terminal UI looks for a text by it; what aish output prints goes to grep',
  'POST v1/sessions/:ref/commands': 'a line that begins with ! in the terminal UI',
  'GET v1/images/:name': 'aish image add asks it while the build lasts',
  'POST v1/events/:name': 'what happens elsewhere sends it',
  'GET openapi.json': 'describes the api itself, for programs',
  'ALL mcp': 'the endpoint for MCP clients',
  'GET d/:link': 'a page for browsers: the link in a notification',
  'POST d/:link': 'the button of that page',
  'GET device': 'a page for browsers: how to let a device in',
  'GET v1/sign-in/callback': 'where the provider sends the browser',
  'POST v1/sign-in/callback/confirm': 'the button of that page',
  'GET v1/mcp/oauth/callback': 'where the provider sends the browser',
  'GET ': 'leads browsers to the page',
  'GET goals/:ref': 'leads browsers to the page',
  'GET chats/:ref': 'leads browsers to the page',
  'GET decisions/:ref': 'leads browsers to the page',
  'GET app': 'leads browsers to the page',
  'GET app/*': 'the page, and what it loads',
  'GET v1/web/sign-ins': 'how the page signs in',
  'POST v1/secrets/look': 'a hint of the page; commands look by themselves',
  'GET v1/web/push': 'notifications of a browser, which alone can subscribe',
  'PUT v1/web/push': 'notifications of a browser, which alone can subscribe',
  'DELETE v1/web/push': 'notifications of a browser, which alone can subscribe',
  'POST v1/web/session': 'how the page signs in',
  'POST v1/web/device': 'how the page signs in',
  'POST v1/web/device/session': 'how the page signs in',
  'POST v1/web/sign-in': 'how the page signs in',
  'POST v1/web/sign-in/:id/session': 'how the page signs in',
  'GET v1/web/session': 'who is signed in at the page',
  'DELETE v1/web/session': 'how the page signs out; aish token remove ends any session',
  'GET v1/web/devices': 'the browsers of a person, on the page; aish token list has them, too',
  'DELETE v1/web/devices': 'how the page signs out everywhere',
  'DELETE v1/web/devices/:id': 'how the page signs another browser out',
  'GET v1/notices': 'tells the terminal UI when to ask again; it says nothing by itself',
  'GET v1/memory/items/:number': 'aish memory show shows the item, and more',
  'POST v1/restore': 'aish restore, which sends only a whole archive: tests/src/system/backup.spec.ts',
  'GET v1/goals/:ref/snapshots': 'the same as that of its session, which aish undo --list asks',
};

const session = sessionOf(12, { id: ID });

let server: ScriptedServer;
let folder: string;
const pause = () => new Promise((resolve) => setTimeout(resolve, 10));

beforeAll(async () => {
  server = await startScriptedServer();
  folder = mkdtempSync(join(tmpdir(), 'aish-routes-'));
  writeFileSync(join(folder, 'token'), 'aish_secret\n', { mode: 0o600 });
  writeFileSync(join(folder, 'server.json'), JSON.stringify({ url: server.url, pid: process.pid }));
  writeFileSync(join(folder, 'file'), '{"meta":{}}\n');
  mkdirSync(join(folder, 'disk-full'));
  writeFileSync(join(folder, 'disk-full', 'SKILL.md'), '---\n---\n');
  mkdirSync(join(folder, 'config'));
  writeFileSync(join(folder, 'config', 'spaces.yaml'), 'media: {}\n');
  // Commands request these before they do their work. The server refuses everything else.
  server.on('GET /v1/sessions/12', json(session));
  server.on('GET /v1/goals/1', json({ ...goalOf(1), steps: [], actions: [], decisions: [], grants: [] }));
  server.on('GET /v1/decisions/17', json(decisionOf(17)));
  server.on('GET /v1/hosts/nas/keys', json({ host: hostOf('nas'), seen: hostOf('nas').keys }));
  server.on('POST /v1/sign-in', json({ id: ID, url: 'http://sso/', code: 'AB', secret: 's', expiresInS: 60 }));
  server.on(
    'POST /v1/device',
    json({
      device_code: 'd',
      user_code: 'BCDF-GHJK',
      verification_uri: 'http://x/device',
      expires_in: 60,
      interval: 0,
    }),
  );
  const at = '2026-01-01T00:00:00.000Z';
  server.on('GET /v1/device/BCDF-GHJK', json({ name: 'laptop', address: '10.0.0.9', createdAt: at, expiresAt: at }));
  server.on('POST /v1/messengers/code', json({ code: 'BCDF-GHJK-LMNP', expiresAt: at, messengers: ['matrix'] }));
  const runbook = {
    name: 'disk-full',
    description: 'x',
    parameters: [],
    tools: [],
    commands: [],
    digest: 'd',
    acceptedBy: null,
    faults: [],
    hints: [],
    commit: 'c',
    text: 'x',
    files: [],
  };
  server.on('GET /v1/runbooks/disk-full', json(runbook));
  const asked = { added: [], removed: [] };
  const proposal = { number: 3, name: 'disk-full', why: 'x', from: null, state: 'pending', at, decidedBy: null };
  const detail = { text: 'x', diff: '', digest: 'd', isStale: false, tools: asked, commands: asked };
  server.on(
    'GET /v1/runbook-proposals/3',
    json({ ...proposal, decidedAt: null, ...detail, endsAcceptance: false, faults: [] }),
  );
  server.on('GET /v1/config', json({}));
  server.on('GET /v1/knowledge/doctor', json({ ok: true, checks: [] }));
  server.on('GET /v1/health', json({ status: 'ok', version: '1', checks: {} }));
});

afterAll(async () => {
  await server.close();
  rmSync(folder, { recursive: true });
});

/** Returns every route of the api's controllers, as the code spells it. */
/** Some routes are declared as endpoints, and some pages are served by controllers without an endpoint. */
function routesOfApi(): readonly string[] {
  const endpoints = sourcesIn('../../../packages/contracts/src/endpoints/', '.ts').flatMap((text) =>
    [...text.matchAll(/endpoint\('([A-Z]+) \/([^']+)'/g)].map(([, method = '', path = '']) => `${method} ${path}`),
  );
  const pages = sourcesIn('../../../services/api/src/', '.controller.ts').flatMap((text) => {
    const base = /@Controller\('([^']*)'\)/.exec(text)?.[1] ?? '';
    return [...text.matchAll(/^ {2}@(Get|Post|Put|Patch|Delete|All)\((?:'([^']*)')?\)/gm)].map(
      ([, method = '', rest = '']) =>
        `${method.toUpperCase()} ${rest === '' || base === '' ? base + rest : `${base}/${rest}`}`,
    );
  });
  return [...endpoints, ...pages];
}

function sourcesIn(folder: string, ending: string): readonly string[] {
  const root = fileURLToPath(new URL(folder, import.meta.url));
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith(ending));
  return files.map((path) => readFileSync(join(root, path), 'utf8'));
}

async function requestsOf(words: string, wanted: RegExp): Promise<readonly string[]> {
  const before = server.requests.length;
  const args = splitWords(words).map((word) =>
    word
      .replace(/^FILE$/, join(folder, 'file'))
      .replace(/^FOLDER$/, join(folder, 'disk-full'))
      .replace(/^CONFIG$/, join(folder, 'config'))
      .replace(/^OUT/, join(folder, 'out')),
  );
  const quiet = { write: () => true };
  await runCli(['--url', server.url, ...args], {
    stdin: Readable.from(['the value of a secret\n']),
    stdout: quiet,
    stderr: quiet,
    config: { AISH_DATA: folder },
    signal: AbortSignal.timeout(20_000),
  });
  const errorLines = (): string[] =>
    server.requests.slice(before).map(({ method, path }) => `${method} ${path.replace(/\?.*$/, '')}`);
  // The server may refuse one of several requests before the others arrive.
  for (let n = 0; n < 100 && !errorLines().some((request) => wanted.test(request)); n += 1) await pause();
  return errorLines();
}

describe('the routes of the api', () => {
  it('each route of the api is called by a command or is listed with a reason', () => {
    expect(routesOfApi().toSorted()).toEqual([...Object.keys(COMMANDS), ...Object.keys(WITHOUT)].toSorted());
  });

  it.each(Object.entries(COMMANDS))(
    'the route %s is called by aish %s',
    async (route, words) => {
      const pattern = new RegExp(`^${route.replace(' ', ' /').replaceAll(/:\w+/g, '[^/]+')}$`);
      expect(await requestsOf(words, pattern)).toContainEqual(expect.stringMatching(pattern));
    },
    30_000,
  );
});
