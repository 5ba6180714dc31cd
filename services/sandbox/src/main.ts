import { readFileSync } from 'node:fs';
import { SandboxConfig, isAishError, parseConfig } from '@aish/contracts';
import { createLogger } from '@aish/http';
import { startSandbox } from './start-sandbox.js';

const readText = (path: string | URL) => readFileSync(path, 'utf8');

try {
  const config = parseConfig(SandboxConfig, process.env, readText);
  const { version } = JSON.parse(readText(new URL('../package.json', import.meta.url))) as { version: string };
  await startSandbox(config, createLogger(config.LOG_LEVEL, 'sandbox'), { version, handleSignals: true });
} catch (error) {
  const isExpected = isAishError(error) || (error instanceof Error && 'code' in error);
  process.stderr.write(
    `sandbox: ${error instanceof Error ? (isExpected ? error.message : error.stack) : String(error)}\n`,
  );
  process.exit(1);
}
