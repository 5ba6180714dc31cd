import { SandboxConfig } from '@aish/contracts/config/sandbox.config';
import { VERSION } from '@aish/contracts/health';
import { runMain } from '@aish/http';
import { startSandbox } from './start-sandbox.js';

await runMain('sandbox', SandboxConfig, ({ config, logger, telemetry }) =>
  startSandbox(config, logger, { version: VERSION, handleSignals: true, telemetry }),
);
