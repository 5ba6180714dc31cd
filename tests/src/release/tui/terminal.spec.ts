import { mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { VERSION } from '@aish/contracts/health';
import { verifies } from '../../requirements.js';
import { eventually } from '../../support/eventually.js';
import { ROOT } from '../../support/service.process.js';
import { Terminal } from '../../support/terminal.js';
import { TUI_COMMAND } from '../../support/tui.stack.js';

const PROMPT = '[aish:fast]> ';

/** Matches colour codes as in the terminal's manual: ESC [ numbers m. */
const SGR = new RegExp(`${String.fromCharCode(27)}\\[([\\d;]*)m`, 'g');

/** These tests need a terminal and only a running server. */
describe('the terminal of the terminal UI', () => {
  let server: Server;
  /** A server in another home. */
  let cabin: Server;
  let url: string;
  let cabinUrl: string;
  let folder: string;
  let terminal: Terminal | null = null;
  let version = VERSION;
  const tokens = new Set<string | undefined>();
  const cabinTokens = new Set<string | undefined>();

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'aish-terminal-'));
    await writeFile(join(folder, 'token'), 'aish_file');
    server = serving(tokens);
    cabin = serving(cabinTokens);
    url = await listening(server);
    cabinUrl = await listening(cabin);
  });

  function serving(seen: Set<string | undefined>): Server {
    return createServer((request, response) => {
      const path = request.url ?? '';
      if (path !== '/v1/health') seen.add(request.headers.authorization);
      if (path === '/v1/health') return answer(response, { status: 'ok', version, checks: {} });
      if (path !== '/v1/notices') return answer(response, { items: [] });
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write(': here\n\n');
    });
  }

  async function listening(of: Server): Promise<string> {
    await new Promise<void>((resolve) => of.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(of.address() as AddressInfo).port}`;
  }

  afterEach(async () => {
    await terminal?.close();
    terminal = null;
  });

  afterAll(async () => {
    for (const each of [server, cabin]) {
      each.closeAllConnections();
      each.close();
    }
    // A client that was just closed may still write to this folder.
    await rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  });

  async function open(env: Record<string, string> = {}, command = TUI_COMMAND): Promise<Terminal> {
    const settings = { AISH_URL: url, AISH_TOKEN_FILE: join(folder, 'token'), XDG_STATE_HOME: folder, ...env };
    terminal = await Terminal.open(command, { env: settings });
    await terminal.shows(/\bonline · /);
    return terminal;
  }

  async function isAsBefore(ui: Terminal): Promise<void> {
    expect([await ui.fact('alternate_on'), await ui.fact('mouse_any_flag'), await ui.fact('cursor_flag')]).toEqual([
      '0',
      '0',
      '1',
    ]);
    await ui.type('echoed'); // this would not be visible in raw mode
    await ui.shows('echoed');
  }

  it(
    verifies('tui.sane-terminal', 'the terminal is restored after SIGHUP, and after a crash, which is reported'),
    async () => {
      let ui = await open();
      expect(await ui.fact('alternate_on')).toBe('1');
      await ui.signal('SIGHUP');
      await ui.shows('ended with 129');
      await isAsBefore(ui);
      await ui.close();

      const crash = join(folder, 'crash');
      const fault = join(folder, 'fault.cjs');
      await writeFile(
        fault,
        `setInterval(() => { if (require('fs').existsSync('${crash}')) throw new Error('a fault'); }, 100).unref();`,
      );
      ui = await open({}, `${process.execPath} --require ${fault} ${ROOT}clients/cli/bin/aish.mjs`);
      await writeFile(crash, '');
      const screen = await ui.shows('ended with');
      expect(screen).toContain('a fault');
      expect(screen).not.toContain('ended with 0');
      await isAsBefore(ui);
    },
    120_000,
  );

  it(
    verifies('tui.prompt', 'the prompt handles wide characters, emoji, a paste of many lines, and Ctrl-R'),
    async () => {
      const ui = await open();
      await ui.type('漢字👍🏽é');
      await ui.shows(`${PROMPT}漢字`);
      await eventually('the cursor is behind them', async () => Number(await ui.fact('cursor_x')) >= PROMPT.length + 7);
      await ui.press('Left', 'Left', 'Left');
      await ui.type('x');
      await ui.shows(`${PROMPT}漢x字`);
      await ui.press('C-u', 'C-k');
      await ui.paste(':find one\nsecond line\nthird line');
      const pasted = await ui.shows('third line');
      expect(pasted).toMatch(/> :find one\n +second line\n +third line\n/);
      await ui.press('C-c');
      await ui.shows('write a message');
      await ui.type(':find needle');
      await ui.press('Enter');
      await ui.shows('find: needle');
      await ui.press('Escape');
      await ui.shows('write a message');
      await ui.press('C-r');
      await ui.type('need');
      await ui.shows(/:find needle +history: need/);
      await ui.press('Enter');
      await ui.shows(`${PROMPT}:find needle`);
    },
    120_000,
  );

  it(
    verifies(
      'tui.profile',
      'server, keychain command, keys and mouse come from the profile file, and another version is reported',
    ),
    async () => {
      const profiles = join(folder, 'config.json');
      await writeFile(
        profiles,
        JSON.stringify({
          default: 'home',
          servers: { home: { url, tokenCommand: ['echo', 'aish_keychain'] } },
          keys: { help: ['f12'] },
        }),
      );
      version = '9.9.9';
      tokens.clear();
      const env = `env -u AISH_URL -u AISH_TOKEN_FILE AISH_PROFILES=${profiles}`;
      const ui = await open({}, `${env} ${TUI_COMMAND}`);
      await ui.shows(`this is version ${VERSION}, the server has 9.9.9`);
      version = VERSION;
      expect([...tokens]).toEqual(['Bearer aish_keychain']);
      await ui.press('F12');
      await ui.shows('─ HELP');
      const goals = ((await ui.screen()).split('\n')[0] ?? '').indexOf('2 Goals') + 2;
      await ui.type(`\u001b[<0;${goals};1M\u001b[<0;${goals};1m`);
      await ui.shows('─ GOALS');
    },
    120_000,
  );

  it(
    verifies(
      'tui.profile',
      'two homes side by side have their own tokens, and text typed in one of them returns there',
    ),
    async () => {
      const profiles = join(folder, 'two-homes.json');
      const servers = {
        home: { url, tokenCommand: ['echo', 'aish_of_home'] },
        cabin: { url: cabinUrl, tokenCommand: ['echo', 'aish_of_cabin'] },
      };
      await writeFile(profiles, JSON.stringify({ default: 'home', servers }));
      tokens.clear();
      const state = join(folder, 'two-homes');
      const at = (name: string) => {
        const env = `env -u AISH_URL -u AISH_TOKEN_FILE AISH_PROFILES=${profiles}`;
        return open({ XDG_STATE_HOME: state }, `${env} ${TUI_COMMAND} --profile ${name}`);
      };
      const home = await at('home');
      const away = await at('cabin');
      try {
        await home.type('the disk at home');
        await away.type('the stove in the cabin');
        await home.shows(`${PROMPT}the disk at home`);
        expect(await away.shows(`${PROMPT}the stove in the cabin`)).not.toContain('disk');
        expect([[...tokens], [...cabinTokens]]).toEqual([['Bearer aish_of_home'], ['Bearer aish_of_cabin']]);
        await home.signal('SIGHUP');
        await home.shows('ended with 129');
        // Nothing runs when the terminal UI ends, so it returns to the place where the person was some seconds before.
        await eventually('it keeps where somebody is', async () => {
          const files = await readdir(join(state, 'aish', 'terminals'));
          const texts = await Promise.all(
            files.map((file) => readFile(join(state, 'aish', 'terminals', file), 'utf8')),
          );
          return texts.some((text) => text.includes('the stove in the cabin')) || null;
        });
        await away.signal('SIGKILL');
        await away.shows('ended with 137');
      } finally {
        await home.close();
        await away.close();
      }
      const back = await at('cabin');
      expect(await back.shows(`${PROMPT}the stove in the cabin`)).not.toContain('disk');
      await back.close();
      await (await at('home')).shows(`${PROMPT}the disk at home`);
    },
    120_000,
  );

  it.each([
    ['16 colours', { TERM: 'xterm-16color' }],
    ['256 colours', { TERM: 'xterm-256color' }],
    ['NO_COLOR', { TERM: 'xterm-256color', NO_COLOR: '1' }],
  ])(
    verifies(
      'tui.colours',
      'the terminal UI uses only colours of the theme, and no black or white on the default background: %s',
    ),
    async (_, { TERM, ...env }) => {
      const file = join(folder, `recorded-${TERM}-${Object.keys(env).length}`);
      const wait = `sleep 1; exec env TERM=${TERM}`;
      terminal = await Terminal.open(`sh -c '${wait} ${TUI_COMMAND}'`, {
        env: { AISH_URL: url, AISH_TOKEN_FILE: join(folder, 'token'), XDG_STATE_HOME: folder, ...env },
      });
      await terminal.record(file);
      await terminal.shows('· online');
      for (const [key, title] of [
        ['F2', '─ GOALS'],
        ['F3', '─ DECISIONS'],
        ['F4', '─ MEMORY'],
        ['F5', '─ KNOWLEDGE'],
        ['F6', '─ SESSIONS'],
        ['F7', '─ HELP'],
      ] as const) {
        await terminal.press(key);
        await terminal.shows(title);
      }
      const written = await readFile(file, 'utf8');
      const used = [...written.matchAll(SGR)].flatMap(([, codes = '']) => [codes]);
      expect(used.length).toBeGreaterThan(20);
      const codes = new Set(used.flatMap((each) => each.split(';')).filter((code) => code !== ''));
      const coloured = [...codes].filter((code) => /^(?:[34]\d|9\d|10\d)$/.test(code));
      if ('NO_COLOR' in env) expect(coloured).toEqual([]);
      else expect(coloured).toEqual(expect.arrayContaining(['36', '90']));
      // 38 and 48 would be colours from 256. 30, 37 and 97 would be invisible on some backgrounds.
      expect(coloured.filter((code) => /^(?:[34]8|[34][07]|97|107|100)$/.test(code))).toEqual([]);
    },
    120_000,
  );
});

function answer(response: ServerResponse, body: object): void {
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
