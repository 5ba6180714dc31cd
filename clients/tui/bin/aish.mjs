#!/usr/bin/env node
// Committed so that npm can link it before anything is built.
import { existsSync } from 'node:fs';

const main = new URL('../dist/main.js', import.meta.url);
if (existsSync(main)) {
  await import(main.href);
} else {
  process.stderr.write('aish is not built yet: run npm run build in the checkout.\n');
  process.exitCode = 1;
}
