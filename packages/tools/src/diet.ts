import { jsonTextOf } from '@aish/contracts/json-text';
import type { ToolSpec } from '@aish/contracts/tools';
import { definitionOf, type Definition } from './definition.js';

/** The share of the room that is left for tools that are found later. */
const KEPT_FOR_FOUND = 0.35;

export interface DietOptions {
  /** Tokens that the definitions of one request may take. */
  readonly budgetTokens: number;
  readonly tokensOf: (text: string) => number;
  /** What this session's requests have described already, sorted by name: it stays, so that the prompt cache holds. */
  readonly offered: readonly Definition[];
  /** Names to describe if there is room, most wanted first: what a search found. */
  readonly wanted?: readonly string[];
  /** Tools that must be there, whatever the room: the means to find the others. */
  readonly finders: readonly ToolSpec[];
}

export interface Diet {
  /** Sorted by name; holds all of what was offered before. */
  readonly definitions: readonly Definition[];
  /** Tools that are there and not described: to be found by searching. */
  readonly hidden: number;
}

/**
 * Which tools a request describes. All, if they fit into the budget. If not, what was described before stays, the
 * finders come in, what was searched for is added, and some of each server while there is room. Sorted by name, only
 * growing. Pure.
 */
export function chooseTools(specs: readonly ToolSpec[], options: DietOptions): Diet {
  const { budgetTokens, tokensOf, offered, wanted = [], finders } = options;
  const size = (definition: Definition): number => tokensOf(jsonTextOf(definition));
  const chosen = new Map(offered.map((definition) => [definition.name, definition]));
  let left = budgetTokens - offered.reduce((sum, definition) => sum + size(definition), 0);
  const missing = specs.filter((spec) => !chosen.has(spec.name)).map(definitionOf);
  const sizes = new Map(missing.map((definition) => [definition.name, size(definition)]));
  const wholeSize = missing.reduce((sum, { name }) => sum + (sizes.get(name) ?? 0), 0);
  if (wholeSize <= left) {
    for (const definition of missing) chosen.set(definition.name, definition);
    return { definitions: sorted(chosen), hidden: 0 };
  }
  for (const finder of finders) {
    if (chosen.has(finder.name)) continue;
    const definition = definitionOf(finder);
    chosen.set(definition.name, definition);
    left -= size(definition);
  }
  const byName = new Map(missing.map((definition) => [definition.name, definition]));
  for (const name of wanted) {
    const definition = byName.get(name);
    const tokens = sizes.get(name) ?? 0;
    if (definition === undefined || chosen.has(name) || tokens > left) continue;
    chosen.set(name, definition);
    left -= tokens;
  }
  // Half a dozen tools at hand are better than none: some of each server, as long as room is left for what is searched.
  let fill = left - budgetTokens * KEPT_FOR_FOUND;
  for (const definition of inTurns(missing)) {
    const tokens = sizes.get(definition.name) ?? 0;
    if (chosen.has(definition.name) || tokens > fill) continue;
    chosen.set(definition.name, definition);
    fill -= tokens;
  }
  const hidden = specs.filter((spec) => !chosen.has(spec.name)).length;
  return { definitions: sorted(chosen), hidden };
}

/** One tool of each server, then the next of each; the server is what stands before the two underscores. */
function inTurns(definitions: readonly Definition[]): readonly Definition[] {
  const servers = new Map<string, Definition[]>();
  for (const definition of definitions) {
    const server = definition.name.split('__')[0] ?? '';
    servers.set(server, [...(servers.get(server) ?? []), definition]);
  }
  const longest = Math.max(0, ...[...servers.values()].map((each) => each.length));
  return Array.from({ length: longest }, (_, n) => [...servers.values()].flatMap((each) => each[n] ?? [])).flat();
}

function sorted(chosen: ReadonlyMap<string, Definition>): readonly Definition[] {
  // By code unit, not by locale: the same everywhere.
  return [...chosen.values()].toSorted((a, b) => (a.name < b.name ? -1 : 1));
}
