import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const CACHE = fileURLToPath(new URL('../../node_modules/.cache/peers/', import.meta.url));
const INSTALL_TIMEOUT_MS = 300_000;

/**
 * Returns a file of a program with which aish is compared. Such programs are installed separately when a benchmark
 * needs them, because they have more dependencies than aish. Their install scripts do not run.
 * @param file the path in the package, for example `build/start-server.js`
 * @returns the path of the file
 */
export function peerFile(name: string, version: string, file: string): string {
  const folder = join(CACHE, `${name.replaceAll('/', '+')}@${version}`);
  if (!existsSync(join(folder, 'node_modules', name, 'package.json'))) {
    mkdirSync(folder, { recursive: true });
    const args = ['install', '--prefix', folder, '--ignore-scripts', '--no-audit', '--no-fund', `${name}@${version}`];
    execFileSync('npm', args, { timeout: INSTALL_TIMEOUT_MS, stdio: ['ignore', 'ignore', 'inherit'] });
  }
  return join(folder, 'node_modules', name, file);
}
