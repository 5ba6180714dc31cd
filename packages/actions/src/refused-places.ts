import { posix } from 'node:path';
import { isLastQuestion } from '@aish/contracts/decision-rules';
import { refusalLine } from '@aish/contracts/held-line';
import type { SessionRefusal } from '@aish/database/refusals.repository';
import { knownReadOnly, namedPaths, namedPlaces, namedThings, programsOfOthers, tellsAll } from '@aish/safety';
import { overlap, pathsNamedIn } from './refusals.js';

/** The prefix of a place among the lifted entries. No path begins like this. */
export const PLACE_PREFIX = 'place:';
/** Means every place, because nobody could know which places a refused script would have reached. */
const ANYWHERE = '*';

/** Returns the servers and hosts that a person allows by approving this command: those that its text names. */
export function placesLifted(command: string): readonly string[] {
  return namedPlaces(command).map((place) => `${PLACE_PREFIX}${place}`);
}

/** Lifts all refusals for scripts. Commands that name a refused place are still covered. */
const ANY_SCRIPT = `${PLACE_PREFIX}${ANYWHERE}`;

/** Returns what a person allows with the last answer about a script: all scripts. */
export function scriptsLifted(command: string): readonly string[] {
  return tellsAll(command) || isAboutThings(command) ? [] : [ANY_SCRIPT];
}

/** A refusal that covers a command outside of a closed workspace. */
export interface RefusedElsewhere {
  /** Why a person is asked. */
  readonly quote: string;
  /** The number of this attempt at the same thing; 0 if it is another thing in the same place. */
  readonly attempt: number;
}

/**
 * Returns the refusal that covers a command outside of a closed workspace, or null. A person refused something on a
 * server, on a host or in a host folder before. The command reaches that place, or its text does not show what it runs.
 * Pure.
 */
export function refusedElsewhere(
  command: string,
  hostFolders: readonly string[],
  refusals: readonly SessionRefusal[],
): RefusedElsewhere | null {
  if (refusals.length === 0 || knownReadOnly(command)) return null;
  const [names, isOpaque] = [command.toLowerCase(), !tellsAll(command)];
  const met = refusals.filter((refusal) => {
    const places = placesOf(refusal, hostFolders);
    return isOpaque
      ? places.length > 0 && !refusal.lifted.includes(ANY_SCRIPT)
      : places.some((place) => place !== ANYWHERE && names.includes(place));
  });
  const found = met.at(-1);
  if (found === undefined) return null;
  if (isOpaque && !isAboutThings(command)) {
    // Nobody knows what this script would do, so only other refused scripts count as attempts at the same thing.
    const scripts = met.filter(({ action }) => !tellsAll(action) && !isAboutThings(action));
    const attempt = Math.min(met.length, scripts.length + 1);
    const covered = isLastQuestion({ attempt }) ? ', so your answer covers every such command' : '';
    return { quote: `${refusalLine(found)} The command does not show what it would reach${covered}`, attempt };
  }
  const target = targetOf(command);
  const attempt = met.filter(({ action }) => isSameTarget(target, targetOf(action))).length;
  return { quote: refusalLine(found), attempt };
}

/** Programs that change only things of their service, and those things are in their words. */
const MANAGES =
  /^(?:kubectl|oc|helm|docker|podman|nerdctl|systemctl|service|apt|apt-get|dnf|yum|pacman|apk|zfs|zpool|virsh|qm|pct|lxc|incus)$/;
/** Words with which these programs run code, or read from a file what to do. */
const RUNS_OR_READS =
  /\s(?:exec|run|compose|stack|create|build|install|apply|-f\s+\S+\.|--filename|--values)(?:\s|$|=)?/;

/** Whether a command only manages things that its words name. It may still be unknown on which server they are. */
function isAboutThings(command: string): boolean {
  if (!/^[\w\s./:@=,+-]*$/.test(command) || RUNS_OR_READS.test(command)) return false;
  return programsOfOthers(command).every((name) => MANAGES.test(name)) && namedThings(command).length > 0;
}

const IN_ADDRESS = /\b[a-z][a-z0-9+.-]*:\/\/[^/\s'"]+(\/[^\s'"?#]+)(?:\?([^\s'"#]*))?/gi;
const AFTER_HOST = /^[\w.@-]+:(?=\/)/;
const SENT = /\s(?:-d|--data(?:-\w+)?|--json)[ =]?('[^']*'|"[^"]*"|[^\s'"]+)/g;
/** Words that say how something is changed, but not what. */
const HOW = new Set(
  `ssh sudo sh bash curl wget http https get post put patch delete docker podman compose container containers image images
  volume volumes network networks stack system kubectl pod pods deployment svc systemctl service apt apt-get dnf yum install
  start stop restart reload kill rm remove down up exec run update upgrade enable disable pull prune purge apply set create
  userdel groupdel lvremove vgremove scale drain restore reset rollback replace edit now`.split(/\s+/),
);

/** Options that say in which part of a cluster a thing is. */
const IN_PART = /\s(?:-n|--namespace|--context)[ =]([\w.-]+)/g;

/** The things that a command changes on a server or host, as far as its text names them. */
interface Target {
  /** Absolute paths, also those in addresses. */
  readonly paths: readonly string[];
  /** The parameters in addresses, and the part of a cluster: `id=1`, `prod`. */
  readonly parameters: readonly string[];
  /** What it sends. */
  readonly data: readonly string[];
  /** The things that it names, or its words without those that only say how and where. */
  readonly words: readonly string[];
}

function targetOf(command: string): Target {
  const addresses = [...command.matchAll(IN_ADDRESS)];
  const written = namedPaths(command).map((path) => path.replace(AFTER_HOST, ''));
  const places = namedPlaces(command);
  const all = command.toLowerCase().match(/(?<![\w.@-])\w[\w.@-]*/g) ?? [];
  // `pod web` and `pod/web` are the same.
  const isOfCluster = /\b(?:kubectl|oc)\b/.test(command);
  const named = namedThings(command).map((thing) => thing.toLowerCase());
  const things = isOfCluster ? named.map((thing) => posix.basename(thing)) : named;
  const words = things.length > 0 ? things : all.filter((word) => !HOW.has(word) && !places.includes(word));
  return {
    paths: [...written.filter((path) => path.startsWith('/')), ...addresses.map(([, path = '']) => path)],
    parameters: [
      ...addresses.flatMap(([, , query = '']) => query.split('&').filter((each) => each !== '')),
      ...Array.from(command.matchAll(IN_PART), ([, part = '']) => part),
    ],
    data: Array.from(command.matchAll(SENT), ([, data = '']) => data),
    words: words.length > 0 ? words : all.slice(-1),
  };
}

/**
 * Whether two commands in the same place change the same thing. In doubt, they do not, and a person is asked once more.
 */
function isSameTarget(one: Target, other: Target): boolean {
  const mayBe = (a: readonly string[], b: readonly string[]) => a.length === 0 || b.length === 0 || isShared(a, b);
  if (!mayBe(one.parameters, other.parameters) || !mayBe(one.data, other.data)) return false;
  if (one.paths.length > 0 && other.paths.length > 0)
    return one.paths.some((path) => other.paths.some((each) => overlap(path, each)));
  const namesOf = ({ paths, words }: Target) => (paths.length > 0 ? paths.map((path) => posix.basename(path)) : words);
  return isShared(namesOf(one), namesOf(other));
}

const isShared = (some: readonly string[], others: readonly string[]) =>
  some.some((each) => others.some((other) => overlap(each, other)));

/**
 * Returns the servers and hosts that a refused action and the person's words name, without those that were allowed
 * since.
 */
export function placesNamed({ action, words, lifted }: SessionRefusal): readonly string[] {
  return namedPlaces(`${action}\n${words ?? ''}`).filter((place) => !lifted.includes(`${PLACE_PREFIX}${place}`));
}

function placesOf(refusal: SessionRefusal, hostFolders: readonly string[]): readonly string[] {
  const { action, paths, lifted } = refusal;
  const named = placesNamed(refusal);
  const folders = hostFolders.length === 0 ? [] : paths.filter((path) => isOnHost(path) && !lifted.includes(path));
  // If a person saw a list of changes, they refused those changes. If they refused a script before it ran, nobody knows
  // what it would have changed.
  const isListed = paths.some((path) => !pathsNamedIn(action).includes(path));
  const isLifted = lifted.some((each) => each === ANY_SCRIPT || paths.some((path) => overlap(path, each)));
  const unread = tellsAll(action) || isListed || isLifted ? [] : [ANYWHERE];
  return [...named, ...folders.map((path) => path.toLowerCase()), ...unread];
}

/** Whether a path is neither in the workspace, nor in a part of the container that is discarded. */
function isOnHost(path: string): boolean {
  return !/^\/(?:workspace|tmp)(?:\/|$)/.test(path);
}
