import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { ROOT } from './service.process.js';

const BASE = 'node:24.21.0-trixie-slim';
const SERVERS = ['@modelcontextprotocol/server-everything', '@modelcontextprotocol/server-filesystem'];
export const MCP_IMAGE = 'aish-test-mcp-servers:latest';
export const inImage = (server: 'everything' | 'filesystem'): string =>
  `/app/node_modules/@modelcontextprotocol/server-${server}/dist/index.js`;

/** Builds an image with third-party MCP servers from this workspace's node_modules. */
export async function buildMcpImage(): Promise<string> {
  const run = promisify(execFile);
  await run(`${ROOT}deploy/docker/base-images.sh`, [BASE], { maxBuffer: 64 * 1024 * 1024 });
  const context = await mkdtemp(join(tmpdir(), 'aish-mcp-image-'));
  try {
    const modules = await realpath(join(ROOT, 'node_modules'));
    await copyClosure(modules, join(context, 'node_modules'));
    await writeFile(
      join(context, 'Dockerfile'),
      `FROM ${BASE}\nCOPY node_modules /app/node_modules\nRUN install -d -o 1000 -g 1000 /workspace\n`,
    );
    await run('docker', ['build', '--pull=false', '--quiet', '--tag', MCP_IMAGE, context], {
      maxBuffer: 64 * 1024 * 1024,
    });
  } finally {
    await rm(context, { recursive: true, force: true });
  }
  return MCP_IMAGE;
}

/** Copies packages with all their dependencies, each to its own place. */
async function copyClosure(modules: string, to: string): Promise<void> {
  const done = new Set<string>();
  const wanted = SERVERS.map((name) => ({ name, from: '' }));
  for (let next = wanted.pop(); next !== undefined; next = wanted.pop()) {
    const found = await locate(modules, next.name, next.from);
    if (found === null || done.has(found)) continue;
    done.add(found);
    const target = join(to, found);
    // Nested packages are copied together with their parent.
    if (!found.includes('/node_modules/')) {
      await mkdir(target, { recursive: true });
      await promisify(execFile)('cp', ['-R', `${join(modules, found)}/.`, target]);
    }
    const { dependencies = {} } = await packageAt(join(modules, found));
    wanted.push(...Object.keys(dependencies).map((name) => ({ name, from: found })));
  }
}

/** Returns the place where Node would find a package from another one, relative to node_modules, or null. */
async function locate(modules: string, name: string, from: string): Promise<string | null> {
  for (let folder = from; folder !== ''; folder = folder.includes('/node_modules/') ? dirname(folder) : '') {
    const nested = join(folder, 'node_modules', name);
    if (await exists(join(modules, nested))) return nested;
  }
  return (await exists(join(modules, name))) ? name : null;
}

async function exists(folder: string): Promise<boolean> {
  try {
    await packageAt(folder);
    return true;
  } catch {
    return false;
  }
}

async function packageAt(folder: string): Promise<{ dependencies?: Record<string, string> }> {
  return JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as { dependencies?: Record<string, string> };
}
