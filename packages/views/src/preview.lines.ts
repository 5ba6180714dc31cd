import type { Preview } from '@aish/contracts/files';
import { formatKeeps } from './decision.format.js';
import { line, type Line, type Style } from './line.js';
import { cleanText, oneLine } from './sanitise.js';

/** What the command of a decision did that was tried. @param keeps how that run is kept, where it can be. */
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
    ...directLines(preview.direct, 'what it does there is not shown here, and no undo brings it back'),
    ...(lacks === ''
      ? []
      : [line(`it ran without ${lacks}, which the command will have: what it does there is not shown`, 'warn')]),
    ...part('removes', preview.removed, 'bad'),
    ...part('changes', preview.changed, 'warn'),
    ...part('adds', preview.added, 'good'),
    line(preview.timedOut ? 'killed: it ran into the time limit' : `exit code ${preview.exitCode}`, 'dim'),
    ...(output === '' ? [] : output.split('\n').map((each) => line(`| ${each}`, 'dim'))),
    ...(preview.isOutputCut ? [line('| …', 'dim')] : []),
  ];
}

/** Preview and undo end where a command writes to the host itself. */
export function directLines(folders: readonly string[], what: string): Line[] {
  return folders.map((name) =>
    line(`${oneLine(name)}: commands write to this folder of the host directly: ${what}`, 'bad'),
  );
}

/** As people read it. */
export function size(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`;
  return bytes < 2 ** 20 ? `${(bytes / 1024).toFixed(1)} KiB` : `${(bytes / 2 ** 20).toFixed(1)} MiB`;
}
