import type { Place } from './place.js';

/** What is in a workspace, by path: kind, mode and content. Times are left out: folders change theirs. */
const LIST =
  "cd /workspace; find . -mindepth 1 ! -type f -printf '%y%m %l\\t%P\\n'; " +
  "find . -type f -printf '%m\\t%P\\0' | while IFS=$'\\t' read -r -d '' mode path; do " +
  'printf "f%s %s\\t%s\\n" "$mode" "$(md5sum < "$path" | cut -c1-32)" "$path"; done';

export type Listing = ReadonlyMap<string, string>;

/** @throws Error where the workspace cannot be listed */
export async function listing(place: Place, workspaceId: string): Promise<Listing> {
  const said = await place.run(workspaceId, LIST);
  return new Map(
    said
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => {
        const [is = '', path = ''] = line.split('\t');
        return [path, is] as const;
      }),
  );
}

/** The paths that are not the same in both. */
export function differing(one: Listing, other: Listing): readonly string[] {
  return [...new Set([...one.keys(), ...other.keys()])].filter((path) => one.get(path) !== other.get(path));
}
