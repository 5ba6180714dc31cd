import * as z from 'zod';

/** What an archive of a workspace does not hold, or not as it was. `path` is below the workspace. */
export const Skipped = z.object({ path: z.string(), why: z.string() }).meta({ id: 'Skipped' });
export type Skipped = z.infer<typeof Skipped>;

/**
 * The last entry of an archive that does not hold everything. Where the workspace has a file of that name it gets a number.
 * Names of everything else begin with `./`, so that no file of a workspace can pass for it.
 */
export const SKIPPED_LIST = 'aish-skipped.txt';
const NAME = /^aish-skipped(-\d+)?\.txt$/;
/** The writer names 1,000 paths at most. */
export const SKIPPED_LIST_MAX_BYTES = 16 * 2 ** 20;

export function isSkippedList(entryName: string): boolean {
  return NAME.test(entryName);
}

const LINE = /^("(?:[^"\\]|\\.)*"): (.*)$/;

/** Reads such a list: a line for each path, which is quoted as in JSON. */
export function skippedIn(list: string): Skipped[] {
  return list.split('\n').flatMap((line) => {
    const [, path, why] = LINE.exec(line) ?? [];
    return path === undefined || why === undefined ? [] : [{ path: JSON.parse(path) as string, why }];
  });
}
