#!/usr/bin/env node
// This file is committed so that npm can link it before anything is built.
import { existsSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, sep } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

/**
 * After aish upgrade, npm start runs the version that the upgrade put into the data folder, and the command has to be of
 * that version too.
 */
function upgradedRoot() {
  const { AISH_DATA, XDG_DATA_HOME } = process.env;
  const data = AISH_DATA || join(XDG_DATA_HOME || join(homedir(), '.local', 'share'), 'aish');
  try {
    const { root } = JSON.parse(readFileSync(join(data, 'server.json'), 'utf8'));
    return root.startsWith(join(data, 'releases') + sep) ? root : undefined;
  } catch {
    return undefined; // npm start does not run here
  }
}

const own = fileURLToPath(new URL('../../../', import.meta.url));
const bundle = [upgradedRoot(), own]
  .filter((root) => typeof root === 'string')
  .map((root) => join(root, 'clients/cli/bundle/aish.mjs'))
  .find(existsSync);
if (bundle !== undefined) {
  await import(pathToFileURL(bundle).href);
} else {
  process.stderr.write('aish is not built yet: run npm run build in the checkout.\n');
  process.exitCode = 1;
}
