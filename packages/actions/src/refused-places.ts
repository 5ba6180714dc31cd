import { refusalLine } from '@aish/contracts/held-line';
import type { SessionRefusal } from '@aish/database/refusals.repository';
import { knownReadOnly, namedPlaces, tellsAll } from '@aish/safety';
import { pathsNamedIn } from './refusals.js';

/** What a place is called among what a person let go by: no path is. */
export const LIFTED = 'place:';
/** Stands for every place: what a refused script would have reached, nobody could read. */
const ANYWHERE = '*';

/** What a person lets go by who lets this run: the servers and hosts that its words name. */
export function placesLifted(command: string): readonly string[] {
  return namedPlaces(command).map((place) => `${LIFTED}${place}`);
}

/**
 * Why a person is asked about a command that reaches what no layer holds. They refused something on a server, a host or in
 * a folder of the host before, and this reaches it, or runs what its words do not show. Null: nothing. Pure.
 */
export function refusedElsewhere(
  command: string,
  hostFolders: readonly string[],
  refusals: readonly SessionRefusal[],
): string | null {
  if (refusals.length === 0 || knownReadOnly(command)) return null;
  const [names, isOpaque] = [command.toLowerCase(), !tellsAll(command)];
  const found = refusals.findLast((refusal) => {
    const places = placesOf(refusal, hostFolders);
    return places.length > 0 && (isOpaque || places.some((place) => names.includes(place)));
  });
  if (found === undefined) return null;
  return isOpaque ? `${refusalLine(found)} Its words do not show where it reaches` : refusalLine(found);
}

/** The servers and hosts that a refused action and the person's words name, and that nobody let go by since. */
export function placesNamed({ action, words, lifted }: SessionRefusal): readonly string[] {
  return namedPlaces(`${action}\n${words ?? ''}`).filter((place) => !lifted.includes(`${LIFTED}${place}`));
}

function placesOf(refusal: SessionRefusal, hostFolders: readonly string[]): readonly string[] {
  const { action, paths, lifted } = refusal;
  const named = placesNamed(refusal);
  const folders = hostFolders.length === 0 ? [] : paths.filter((path) => isOnHost(path) && !lifted.includes(path));
  // Changes that a person saw listed are what they refused; of a script that they did not let run nobody knows.
  const isListed = paths.some((path) => !pathsNamedIn(action).includes(path));
  const unread = tellsAll(action) || isListed || lifted.length > 0 ? [] : [ANYWHERE];
  return [...named, ...folders.map((path) => path.toLowerCase()), ...unread];
}

/** Neither in the workspace, nor in what a container forgets. */
function isOnHost(path: string): boolean {
  return !/^\/(?:workspace|tmp)(?:\/|$)/.test(path);
}
