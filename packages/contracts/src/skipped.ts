import * as z from 'zod';

/** A file that an archive of a workspace lacks or contains in another form. `path` is relative to the workspace. */
export const Skipped = z.object({ path: z.string(), why: z.string() }).meta({ id: 'Skipped' });
export type Skipped = z.infer<typeof Skipped>;

/**
 * The name of the last entry of an incomplete archive. If the workspace has a file of that name, the name gets a
 * number. All other names begin with `./`, so that no file of a workspace can be mistaken for this entry.
 */
export const SKIPPED_LIST = 'aish-skipped.txt';
const NAME = /^aish-skipped(-\d+)?\.txt$/;
/** Maximum size of the list of skipped files. The writer names at most 1,000 paths. */
export const SKIPPED_LIST_MAX_BYTES = 16 * 2 ** 20;

export function isSkippedList(entryName: string): boolean {
  return NAME.test(entryName);
}

const LINE = /^("(?:[^"\\]|\\.)*"): (.*)$/;

/** Parses the list of skipped files. Each line has a path, quoted as in JSON. */
export function parseSkipped(list: string): Skipped[] {
  return list.split('\n').flatMap((line) => {
    const [, path, why] = LINE.exec(line) ?? [];
    return path === undefined || why === undefined ? [] : [{ path: JSON.parse(path) as string, why }];
  });
}
