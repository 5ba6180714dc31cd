import type { GoalSnapshotList, Preview } from '@aish/contracts/files';
import { formatKeeps } from './decision.format.js';
import { line, type Line, type Style } from './line.js';
import { cleanText, oneLine } from './sanitise.js';

type GoalSnapshot = GoalSnapshotList['items'][number];

/**
 * Formats the result of a preview.
 *
 * @param keeps says how the run is kept, if it can be.
 */
export function previewLines(preview: Preview, keeps = formatKeeps(preview)): Line[] {
  const part = (label: string, { count, sizeBytes, names }: Preview['added'], style: Style): Line[] => [
    line(`${label} ${count}, ${size(sizeBytes)}`, count === 0 ? 'dim' : style),
    ...names.map((name) => line(`  ${oneLine(name)}`)),
    ...(count > names.length ? [line(`  and ${count - names.length} more`, 'dim')] : []),
  ];
  const output = cleanText(preview.output).trimEnd();
  const lacks = preview.lacks.join(' and ');
  return [
    line(keeps, preview.keeps ? 'good' : 'warn'),
    ...directLines(preview.direct, 'its changes there are not shown, and undo does not restore them'),
    ...(lacks === ''
      ? []
      : [
          line(`the preview ran without ${lacks}, which the command will have, so changes there are not shown`, 'warn'),
        ]),
    ...part('removes', preview.removed, 'bad'),
    ...part('changes', preview.changed, 'warn'),
    ...part('adds', preview.added, 'good'),
    line(preview.timedOut ? 'killed: time limit' : `exit code ${preview.exitCode}`, 'dim'),
    ...(output === '' ? [] : output.split('\n').map((each) => line(`| ${each}`, 'dim'))),
    ...(preview.isOutputCut ? [line('| …', 'dim')] : []),
  ];
}

/** Warns about direct writes to the host, which preview and undo do not cover. */
export function directLines(folders: readonly string[], what: string): Line[] {
  return folders.map((name) => line(`${oneLine(name)}: commands write to this host folder directly; ${what}`, 'bad'));
}

/** Names the command of a snapshot. @param stepNumber null if a person ran the command */
export function snapshotPlace({ stepNumber }: Pick<GoalSnapshot, 'stepNumber'>): string {
  return stepNumber === null ? 'a person’s own command' : `step ${stepNumber}`;
}

export function size(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`;
  return bytes < 2 ** 20 ? `${(bytes / 1024).toFixed(1)} KiB` : `${(bytes / 2 ** 20).toFixed(1)} MiB`;
}
