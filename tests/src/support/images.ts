import { execFile } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ROOT } from './service.process.js';

/** This command builds the images of aish. The documentation shows it, too. */
export const BUILD_IMAGES = 'docker compose build';
export const BUILD_TIMEOUT_MS = 900_000;
const MAX_OUTPUT_BYTES = 64 * 1024 * 1024;

/**
 * Builds the images of docker-compose.yml. `npm run test:release` does this once for all suites. A suite that runs
 * alone builds the images here, and a second suite waits for the first.
 */
export async function buildImages(): Promise<void> {
  if (process.env['AISH_TEST_IMAGES'] === 'built') return;
  await buildOnce(BUILD_IMAGES);
}

/** Runs a command that builds images, after the one of another suite. */
export async function buildOnce(command: string): Promise<void> {
  const lock = join(tmpdir(), 'aish-test-images.lock');
  await promisify(execFile)('flock', [lock, ...command.split(' ')], {
    cwd: ROOT,
    timeout: BUILD_TIMEOUT_MS,
    maxBuffer: MAX_OUTPUT_BYTES,
  });
}
