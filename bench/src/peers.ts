import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const CACHE = fileURLToPath(new URL('../../node_modules/.cache/peers/', import.meta.url));
const INSTALL_TIMEOUT_MS = 300_000;

/**
 * A file of a peer that aish is measured beside. Peers are installed when a benchmark wants them, apart from aish: they
 * drag in more than all of aish does. Their install scripts do not run.
 * @param file within the package, as `build/start-server.js`
 * @returns its path
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
