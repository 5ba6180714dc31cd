import { readFileSync } from 'node:fs';
import { HttpBroker } from '@aish/broker';
import { AishError, WorkerConfig, parseConfig, presetNamed, presetsOf } from '@aish/contracts';
import { connectDatabase } from '@aish/database';
import { createLogger, startService } from '@aish/http';
import { Driver, SafetyGate } from '@aish/norris';
import { openBus, openQueue } from '@aish/queue';
import { parseUserRules } from '@aish/safety';
import { HttpSandbox } from '@aish/sandbox-client';
import { AdvanceHandler } from './advance.handler.js';
import { NorrisWorkerModule, work } from './norris-worker.module.js';
import { Sweeper } from './sweeper.js';

/** Longer than it takes a driver to leave a goal that has just halted. */
const LOCK_WAIT_MS = 2_000;

async function main(): Promise<void> {
  const config = parseConfig(WorkerConfig, process.env, (path) => readFileSync(path, 'utf8'));
  const logger = createLogger(config.LOG_LEVEL, 'norris-worker');
  const db = connectDatabase(config.DATABASE_URL, {
    applicationName: 'aish-norris-worker',
    onConnectionLost: (err) => logger.warn({ err }, 'lost a database connection'),
  });
  const store = {
    databaseUrl: config.DATABASE_URL,
    ...(config.REDIS_URL === undefined ? {} : { redisUrl: config.REDIS_URL }),
  };
  const onError = (err: unknown) => logger.warn({ err }, 'queue or event bus');
  const [queue, bus] = await Promise.all([openQueue({ ...store, onError }), openBus({ ...store, onError })]);
  const presets = presetsOf(config);
  const broker = new HttpBroker();
  const gate = new SafetyGate(broker, {
    mode: config.SAFETY_SECOND_OPINION,
    preset: presetNamed(presets, config.SAFETY_PRESET),
    timeoutMs: config.SAFETY_TIMEOUT_MS,
    rules: parseUserRules(config.SAFETY_RULES),
  });
  const driver = new Driver(
    {
      db,
      broker,
      gate,
      sandbox: new HttpSandbox(config.SANDBOX_URL, config.SANDBOX_TOKEN),
      publish: (notice) => void bus.publish(notice).catch(onError),
    },
    {
      presets,
      commandTimeoutMs: config.COMMAND_TIMEOUT_MS,
      waitMinMs: config.WAIT_MIN_MS,
      waitMaxMs: config.WAIT_MAX_MS,
      lockWaitMs: LOCK_WAIT_MS,
    },
  );
  const handler = new AdvanceHandler(driver, queue, bus);
  await handler.start();
  const worker = work(queue, handler, config.WORKER_CONCURRENCY);
  const sweeper = new Sweeper(db, queue, logger);
  sweeper.start();
  await startService(
    NorrisWorkerModule.register({ db, queue, bus, handler, sweeper, worker, graceMs: config.SHUTDOWN_GRACE_MS }),
    { host: config.HEALTH_HOST, port: config.HEALTH_PORT, logger },
  );
}

main().catch((error: unknown) => {
  console.error(error instanceof AishError ? error.message : error);
  process.exit(1);
});
