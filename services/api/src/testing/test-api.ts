import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ApiConfig } from '@aish/contracts/config/api.config';
import { parseConfig } from '@aish/contracts/config/parse-config';
import { VERSION } from '@aish/contracts/health';
import { NewToken, type Scope } from '@aish/contracts/tokens';
import { connectDatabase, type Database } from '@aish/database/client';
import { createTestDatabase } from '@aish/database/testing';
import { createLogger, type RunningService } from '@aish/http';
import { startTelemetry } from '@aish/telemetry';
import { openBus, type EventBus } from '@aish/queue';
import { startApi } from '../start-api.js';

/** The response of the api. `body` is null if it is not JSON. */
export type Answer = Awaited<ReturnType<TestApi['ask']>>;

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** Runs the whole api in this process with its own database, for one spec file. There is no sandbox service. */
export class TestApi {
  private constructor(
    private readonly service: RunningService,
    /** An event bus that belongs to another process. */
    readonly bus: EventBus,
    readonly db: Database,
    readonly token: string,
    /** Closes the api and removes everything that was created for it. */
    readonly stop: () => Promise<void>,
  ) {}

  /** @param env settings, as in a settings file @param log takes the lines of the log, from errors on */
  static async start(
    env: Readonly<Record<string, string>> = {},
    log: (line: string) => void = () => undefined,
  ): Promise<TestApi> {
    const database = await createTestDatabase();
    const dir = await mkdtemp(join(tmpdir(), 'aish-api-'));
    const settings = {
      DATABASE_URL: database.url,
      // No service listens at this address.
      SANDBOX_URL: 'http://127.0.0.1:1',
      FAST_BASE_URL: 'http://127.0.0.1:1',
      SANDBOX_TOKEN: randomBytes(24).toString('hex'),
      SAFETY_SECOND_OPINION: 'off',
      TOKEN_FILE: join(dir, 'token'),
      PORT: '0',
      ...env,
    };
    const config = parseConfig(ApiConfig, settings, () => '');
    const logger = createLogger('error', 'test', { write: log });
    const telemetry = await startTelemetry({ service: 'api', version: VERSION });
    const service = await startApi(
      { config, logger, telemetry, readText: () => '' },
      { env: { ...process.env, ...settings }, handleSignals: false },
    );
    const token = (await readFile(join(dir, 'token'), 'utf8')).trim();
    const bus = await openBus({ databaseUrl: database.url, onError: () => undefined });
    const db = connectDatabase(database.url);
    const stop = async (): Promise<void> => {
      await db.close();
      await bus.close();
      await service.app.close();
      await database.drop();
      await rm(dir, { recursive: true, force: true });
    };
    return new TestApi(service, bus, db, token, stop);
  }

  get url(): string {
    return this.service.url;
  }

  /** Sends a request as the admin unless `token` names another token. Null sends no token. */
  async ask(
    method: Method,
    url: string,
    options: {
      readonly body?: unknown;
      readonly token?: string | null;
      readonly headers?: Record<string, string>;
    } = {},
  ) {
    const { body, token = this.token, headers = {} } = options;
    const form = body instanceof URLSearchParams;
    const response = await this.service.app.inject({
      method,
      url,
      headers: {
        ...(token === null ? {} : { authorization: `Bearer ${token}` }),
        ...(form ? { 'content-type': 'application/x-www-form-urlencoded' } : {}),
        ...headers,
      },
      ...(body === undefined ? {} : { payload: form ? body.toString() : (body as object) }),
    });
    const type = String(response.headers['content-type'] ?? '');
    const json = /\bjson\b/.test(type) && response.payload !== '';
    return {
      status: response.statusCode,
      headers: response.headers as Readonly<Record<string, unknown>>,
      text: response.payload,
      body: json ? JSON.parse(response.payload) : null,
    };
  }

  /** Creates a token with exactly these scopes. */
  async tokenWith(...scopes: readonly Scope[]): Promise<string> {
    const name = `${scopes.join('-')}-${randomBytes(4).toString('hex')}`;
    const { body } = await this.ask('POST', '/v1/tokens', { body: { name, scopes } });
    return NewToken.parse(body).token;
  }
}
