import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { compile } from './compile.cjs';

const GLOBALS = new URL('./globals.mjs', import.meta.url).href;

/**
 * These hooks for Node's loader provide Jest's imports in specs, compile TypeScript with SWC, and load package sources
 * without a build.
 */
export async function resolve(specifier, context, next) {
  if (specifier === '@jest/globals') return { url: GLOBALS, shortCircuit: true };
  if (/^\.{1,2}\/.*\.js$/.test(specifier) && /\.ts(\?|$)/.test(context.parentURL ?? '')) {
    const url = new URL(specifier.replace(/\.js$/, '.ts'), context.parentURL);
    if (existsSync(url)) return { url: url.href, shortCircuit: true };
  }
  return next(specifier, { ...context, conditions: ['@aish/source', ...context.conditions] });
}

export async function load(url, context, next) {
  if (!/^file:.*\.ts(\?|$)/.test(url)) return next(url, context);
  return { format: 'module', source: compile(fileURLToPath(url)).code, shortCircuit: true };
}
