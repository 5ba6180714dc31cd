import { QUICK_WAITS } from './quick-waits.js';
import { ROOT } from './service.process.js';

/** `node quick.main.js api|norris-worker` starts the bundle of a service as `main.js` does, but with `QUICK_WAITS`. */
const folder = process.argv[2] as keyof typeof QUICK_WAITS;
const { run } = (await import(`${ROOT}services/${folder}/dist/bundle/run.js`)) as {
  run: (waits: unknown) => Promise<void>;
};
await run(QUICK_WAITS[folder]);
