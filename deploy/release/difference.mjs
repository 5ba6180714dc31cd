// Finds the first difference between two folders of releases, down to a file in a layer of an image.
import { spawnSync } from 'node:child_process';
import { closeSync, mkdirSync, mkdtempSync, openSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Returns a description of the first difference between two folders, or null. */
export function firstDifference(one, other) {
  const [names, others] = [one, other].map((folder) => readdirSync(folder).toSorted());
  const lonely = names.find((name) => !others.includes(name)) ?? others.find((name) => !names.includes(name));
  if (lonely !== undefined) return `${lonely} is only in one of them`;
  for (const name of names) {
    const [left, right] = [join(one, name), join(other, name)];
    if (isSame(left, right)) continue;
    const inside = name.endsWith('.tar') ? differenceOfImages(left, right) : differenceOf(left, right);
    return `${name}: ${inside}`;
  }
  return null;
}

function differenceOfImages(left, right) {
  const images = [left, right].map((file) => JSON.parse(output('tar', ['-xOf', file, 'manifest.json']))[0]);
  const [{ Layers: layers }, { Layers: others }] = images;
  const n = layers.findIndex((layer, at) => layer !== others[at]);
  if (n === -1) return 'their layers are the same, but not their configuration';
  const scratch = mkdtempSync(join(tmpdir(), 'aish-difference-'));
  try {
    const [a, b] = [left, right].map((file, side) => {
      const layer = join(scratch, `${side}.layer`);
      const to = openSync(layer, 'w');
      spawnSync('tar', ['-xOf', file, images[side].Layers[n]], { stdio: ['ignore', to, 'inherit'] });
      closeSync(to);
      return layer;
    });
    const [entries, otherEntries] = [a, b].map((layer) => output('tar', ['--full-time', '-tvf', layer]).split('\n'));
    const at = entries.findIndex((entry, line) => entry !== otherEntries[line]);
    if (at !== -1) return `layer ${n + 1}: ${entries[at]} | ${otherEntries[at] ?? 'missing'}`;
    const folders = [a, b].map((layer) => {
      const folder = `${layer}.files`;
      mkdirSync(folder);
      output('tar', ['-xf', layer, '-C', folder, '--exclude=dev/*', '--no-same-owner']);
      return folder;
    });
    return `layer ${n + 1}: ${output('diff', ['-rq', '--no-dereference', ...folders]).split('\n')[0]}`;
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

function differenceOf(left, right) {
  if (left.endsWith('.gz')) return output('cmp', [left, right]).trim();
  const [lines, others] = [left, right].map((file) => readFileSync(file, 'utf8').split('\n'));
  const at = lines.findIndex((text, line) => text !== others[line]);
  return `line ${at + 1}: ${lines[at]?.slice(0, 200)} | ${others[at]?.slice(0, 200)}`;
}

const isSame = (left, right) => spawnSync('cmp', ['-s', left, right]).status === 0;

/** Returns the output of a program that also exits with 1 if it finds a difference. */
function output(program, args) {
  const env = { ...process.env, LC_ALL: 'C', TZ: 'UTC' };
  return spawnSync(program, args, { env, encoding: 'utf8', maxBuffer: 256 * 1024 * 1024 }).stdout;
}
