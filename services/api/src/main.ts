import { readFileSync } from 'node:fs';
import { HttpBroker } from '@aish/broker';
import { ApiConfig, AishError, parseConfig, presetNamed, presetsOf } from '@aish/contracts';
import { connectDatabase } from '@aish/database';
import { createLogger, startService } from '@aish/http';
import { SafetyGate } from '@aish/norris';
import { openBus, openQueue } from '@aish/queue';
import { parseUserRules } from '@aish/safety';
import { HttpSandbox } from '@aish/sandbox-client';
import { ApiModule } from './api.module.js';
import { OpenApiDocument } from './http/openapi.controller.js';
import { SafetyService } from './safety/safety.service.js';
import { EventHub } from './sessions/event-hub.js';
import { ensureFirstToken } from './tokens/first-token.js';

async function main(): Promise<void> {
  const config = parseConfig(ApiConfig, process.env, (path) => readFileSync(path, 'utf8'));
  const logger = createLogger(config.LOG_LEVEL, 'api');
  const db = connectDatabase(config.DATABASE_URL, {
    applicationName: 'aish-api',
    onConnectionLost: (err) => logger.warn({ err }, 'lost a database connection'),
  });
  const store = {
    databaseUrl: config.DATABASE_URL,
    ...(config.REDIS_URL === undefined ? {} : { redisUrl: config.REDIS_URL }),
  };
  const onError = (err: unknown) => logger.warn({ err }, 'queue or event bus');
  const [queue, bus] = await Promise.all([openQueue({ ...store, onError }), openBus({ ...store, onError })]);
  const hub = new EventHub(bus);
  await hub.start();
  if (await ensureFirstToken(db, config.TOKEN_FILE))
    logger.info({ file: config.TOKEN_FILE }, 'wrote the first admin token');
  const presets = presetsOf(config);
  const broker = new HttpBroker();
  const rules = parseUserRules(config.SAFETY_RULES);
  const gate = new SafetyGate(broker, {
    mode: config.SAFETY_SECOND_OPINION,
    preset: presetNamed(presets, config.SAFETY_PRESET),
    timeoutMs: config.SAFETY_TIMEOUT_MS,
    rules,
  });
  const parts = {
    db,
    queue,
    bus,
    hub,
    broker,
    sandbox: new HttpSandbox(config.SANDBOX_URL, config.SANDBOX_TOKEN),
    presets,
    safety: new SafetyService(gate, rules),
    logger,
  };
  await startService(ApiModule.register(parts), {
    host: config.HOST,
    port: config.PORT,
    logger,
    configure: (app) => void app.get(OpenApiDocument).make(app),
  });
}

main().catch((error: unknown) => {
  console.error(error instanceof AishError ? error.message : error);
  process.exit(1);
});
