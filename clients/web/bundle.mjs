// This script makes dist/app. It contains the page and its parts, each in a file whose name changes with its content.
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const here = dirname(fileURLToPath(import.meta.url));
const out = join(here, 'dist', 'app');
rmSync(out, { recursive: true, force: true });
mkdirSync(out, { recursive: true });

/**
 * Removes the schemas of endpoints from the page, which needs only the parts that a request uses. The page comes from
 * the same api that answers it, and that api has checked its answers. With the schemas the first screen would load 30
 * kB more and start much later.
 */
const endpointTables = {
  name: 'endpoint-tables',
  setup({ onLoad }) {
    onLoad({ filter: /contracts\/src\/endpoints\/[\w-]+\.ts$/ }, async ({ path }) => {
      const groups = await import(`@aish/contracts/endpoints/${basename(path, '.ts')}`);
      const tables = Object.entries(groups).map(
        ([name, group]) => `export const ${name} = ${JSON.stringify(group, toSend)};`,
      );
      return { contents: tables.join('\n') };
    });
  },
};
const SENT = ['method', 'path', 'scope', 'timeoutMs', 'alsoFine'];
function toSend(_name, value) {
  return value?.path === undefined ? value : Object.fromEntries(SENT.map((field) => [field, value[field]]));
}

const common = {
  bundle: true,
  platform: 'browser',
  target: ['es2022', 'chrome120', 'firefox120', 'safari17'],
  format: 'esm',
  minify: true,
  conditions: ['@aish/source'],
  plugins: [endpointTables],
  jsx: 'automatic',
  jsxImportSource: 'preact',
  logLevel: 'warning',
  legalComments: 'none',
  metafile: true,
};

const page = await build({
  ...common,
  entryPoints: [join(here, 'src/main.tsx'), join(here, 'src/style/main.css')],
  outdir: out,
  entryNames: '[name]-[hash]',
  chunkNames: '[name]-[hash]',
  splitting: true,
});
// The page requests workers by name, and the server looks them up each time.
const workers = await build({
  ...common,
  entryPoints: [
    { in: join(here, 'src/live/hub.worker.ts'), out: 'hub' },
    { in: join(here, 'src/sw.ts'), out: 'sw' },
  ],
  outdir: out,
});

const made = Object.keys(page.metafile.outputs).map((path) => basename(path));
const named = (pattern) => made.find((name) => pattern.test(name));
/**
 * Returns the files that an entry needs to begin. The page names them, so that all of them load at once and not one
 * after the other.
 */
const neededBy = (path, found = new Set()) => {
  for (const { path: next, kind } of page.metafile.outputs[path].imports)
    if (kind === 'import-statement' && !found.has(next)) neededBy(next, found.add(next));
  return found;
};
const main = Object.keys(page.metafile.outputs).find((path) => /main-.*\.js$/.test(path));
const preloads = [...neededBy(main)].map((path) => `<link rel="modulepreload" href="${basename(path)}" />`);
const html = readFileSync(join(here, 'src/static/index.html'), 'utf8');
writeFileSync(
  join(out, 'index.html'),
  html
    .replace('%STYLE%', named(/^main-.*\.css$/))
    .replace('%MAIN%', basename(main))
    .replace('%NEEDED%', preloads.join('\n    ')),
);
for (const name of ['manifest.webmanifest', 'icon.svg']) copyFileSync(join(here, 'src/static', name), join(out, name));
// deploy/bundle/packages.mjs reads this file to list the contents of an image.
mkdirSync(join(here, 'dist', 'bundle'), { recursive: true });
writeFileSync(join(here, 'dist', 'metafiles.json'), JSON.stringify([page.metafile, workers.metafile]));
