import { ROOT } from './service.process.js';

/**
 * `node quick.main.js api|norris-worker`: the bundle of a service, with shorter waits for what a killed process leaves behind.
 * Everything else is as `main.js` starts it.
 */
const WAITS = {
  api: {
    chats: { orphanedAfterMs: 1_000, lockAfterMs: 200, retryMinMs: 100, retryMaxMs: 500 },
    chatSweepEveryMs: 300,
  },
  'norris-worker': {
    recovery: { lockMs: 1_500, checkEveryMs: 500 },
    lockMs: 2_000,
    sweepEveryMs: 300,
    lostAfterMs: 1_000,
  },
};

const [folder = ''] = process.argv.slice(2);
const { run } = (await import(`${ROOT}services/${folder}/dist/bundle/run.js`)) as {
  run: (waits: unknown) => Promise<void>;
};
await run(WAITS[folder as keyof typeof WAITS]);
