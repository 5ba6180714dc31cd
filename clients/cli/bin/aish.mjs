#!/usr/bin/env node
// This file is committed so that npm can link it before anything is built.
import { existsSync } from 'node:fs';

const bundle = new URL('../bundle/aish.mjs', import.meta.url);
if (existsSync(bundle)) {
  await import(bundle.href);
} else {
  process.stderr.write('aish is not built yet: run npm run build in the checkout.\n');
  process.exitCode = 1;
}
