import { z } from 'zod';

/** The first paths that are listed of what was created, and of what was changed. */
export const EFFECT_PATHS_MAX = 20;
/** The same of what was deleted, which nobody can look up afterwards. */
export const DELETED_PATHS_MAX = 200;

const Share = z.object({
  files: z.int(),
  /** Of created and changed files as they are now, of deleted ones as they were. */
  bytes: z.int(),
  /** The first of them, below the workspace; bytes that are no UTF-8 are replaced. */
  paths: z.array(z.string()),
});

/**
 * What a command did to its workspace, read from the layer it wrote to. All but folders counts as a file. A file that was
 * opened for writing counts as changed, whatever was written.
 */
export const Effects = z
  .object({
    created: Share.extend({ paths: z.array(z.string()).max(EFFECT_PATHS_MAX) }),
    changed: Share.extend({ paths: z.array(z.string()).max(EFFECT_PATHS_MAX) }),
    deleted: Share.extend({ paths: z.array(z.string()).max(DELETED_PATHS_MAX) }),
    /** False when the numbers are only a part: there was too much to count in the time there is. */
    complete: z.boolean(),
  })
  .meta({ id: 'Effects' });
export type Effects = z.infer<typeof Effects>;

/** Effects in a line; empty when there are none. */
export function effectsLine({ created, changed, deleted, complete }: Effects): string {
  const counts = [
    ...(created.files > 0 ? [`+${created.files}`] : []),
    ...(changed.files > 0 ? [`~${changed.files}`] : []),
    ...(deleted.files > 0 ? [`−${deleted.files}`] : []),
  ];
  if (counts.length === 0) return complete ? '' : 'files changed; too many to count';
  const total = created.files + changed.files + deleted.files;
  const gone = deleted.bytes > 0 ? [`${formatSize(deleted.bytes)} gone`] : [];
  const most = complete ? [] : ['and more'];
  return [`${counts.join(' ')} ${total === 1 ? 'file' : 'files'}`, ...gone, ...most].join(', ');
}

function formatSize(bytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB'];
  let size = bytes;
  let unit = 0;
  // What would be rounded to 1000 is 1 of the next.
  while (size >= 999.5 && unit < units.length - 1) {
    size /= 1000;
    unit += 1;
  }
  return `${unit === 0 || size >= 9.95 ? Math.round(size) : size.toFixed(1)} ${units[unit]}`;
}
