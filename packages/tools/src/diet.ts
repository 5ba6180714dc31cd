import { jsonTextOf } from '@aish/contracts/json-text';
import type { ToolSpec } from '@aish/contracts/tools';
import { definitionOf, type Definition } from './definition.js';

/** The share of the room that is reserved for tools found later. */
const KEPT_FOR_FOUND = 0.35;

export interface DietOptions {
  /** Token limit for the definitions of one request. */
  readonly budgetTokens: number;
  readonly tokensOf: (text: string) => number;
  /** Returns whether a tool runs without a question, by its label. Such tools are described first. */
  readonly autoApproves: (label: string) => boolean;
  /**
   * Definitions of this session's earlier requests, sorted by name. They stay, so that the prompt cache stays valid.
   */
  readonly offered: readonly Definition[];
  /** Search results to describe if there is room, most wanted first. */
  readonly wanted?: readonly string[];
  /** Tools that are always included, because the model finds the others with them. */
  readonly finders: readonly ToolSpec[];
}

export interface Diet {
  /** The definitions, sorted by name. They include everything that was offered before. */
  readonly definitions: readonly Definition[];
  /** The number of tools that are not described and can only be found by searching. */
  readonly hidden: number;
}

/**
 * Chooses the tools that a request describes: all of them if they fit into the budget. Otherwise earlier definitions
 * stay, the finders are added, then search results, then some tools of each server while there is room. The list is
 * sorted by name and only grows. Pure.
 */
export function chooseTools(specs: readonly ToolSpec[], options: DietOptions): Diet {
  const { budgetTokens, tokensOf, autoApproves, offered, wanted = [], finders } = options;
  const size = (definition: Definition): number => tokensOf(jsonTextOf(definition));
  const chosen = new Map(offered.map((definition) => [definition.name, definition]));
  let left = budgetTokens - offered.reduce((sum, definition) => sum + size(definition), 0);
  const missing = specs
    .filter(({ name, holdsNothing }) => !chosen.has(name) && (holdsNothing !== true || wanted.includes(name)))
    .map(definitionOf);
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
  // A few tools are better than none: some of each server, while room is left for search results.
  let fill = left - budgetTokens * KEPT_FOR_FOUND;
  const auto = new Set(specs.filter(({ label }) => autoApproves(label)).map(({ name }) => name));
  for (const definition of inTurns(missing, auto)) {
    const tokens = sizes.get(definition.name) ?? 0;
    if (chosen.has(definition.name) || tokens > fill) continue;
    chosen.set(definition.name, definition);
    fill -= tokens;
  }
  const hidden = missing.filter(({ name }) => !chosen.has(name)).length;
  return { definitions: sorted(chosen), hidden };
}

/**
 * Orders tools: one tool of each server, then the next of each. Within a server, those that run without a question come
 * first. The server is the part before the two underscores. Tools without one are aish's own. They count as one server
 * and come last.
 */
function inTurns(definitions: readonly Definition[], auto: ReadonlySet<string>): readonly Definition[] {
  const servers = new Map<string, Definition[]>();
  const first = definitions.toSorted((a, b) => Number(auto.has(b.name)) - Number(auto.has(a.name)));
  for (const definition of first) {
    const at = definition.name.indexOf('__');
    const server = at < 0 ? '' : definition.name.slice(0, at);
    servers.set(server, [...(servers.get(server) ?? []), definition]);
  }
  const own = servers.get('') ?? [];
  servers.delete('');
  const queues = [...servers.values(), own];
  const longest = Math.max(0, ...queues.map((each) => each.length));
  return Array.from({ length: longest }, (_, n) => queues.flatMap((each) => each[n] ?? [])).flat();
}

function sorted(chosen: ReadonlyMap<string, Definition>): readonly Definition[] {
  // The order is by code unit, not by locale, so that it is the same everywhere.
  return [...chosen.values()].toSorted((a, b) => (a.name < b.name ? -1 : 1));
}
