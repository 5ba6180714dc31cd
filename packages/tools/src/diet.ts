import { jsonTextOf } from '@aish/contracts/json-text';
import type { ToolSpec } from '@aish/contracts/tools';
import { definitionOf, type Definition } from './definition.js';

/** The share of the room that is left for tools that are found later. */
const KEPT_FOR_FOUND = 0.35;

export interface DietOptions {
  /** Tokens that the definitions of one request may take. */
  readonly budgetTokens: number;
  readonly tokensOf: (text: string) => number;
  /** Whether a tool runs without a question, by its label: those are described first. */
  readonly autoApproves: (label: string) => boolean;
  /** What this session's requests have described already, sorted by name: it stays, so that the prompt cache holds. */
  readonly offered: readonly Definition[];
  /** Names to describe if there is room, most wanted first: what a search found. */
  readonly wanted?: readonly string[];
  /** Tools that are always included, because the model finds the others with them. */
  readonly finders: readonly ToolSpec[];
}

export interface Diet {
  /** Sorted by name; holds all of what was offered before. */
  readonly definitions: readonly Definition[];
  /** Tools that are there and not described: to be found by searching. */
  readonly hidden: number;
}

/**
 * Which tools a request describes. All that hold something, if they fit into the budget. If not, what was described before stays, the
 * finders come in, what was searched for is added, and some of each server while there is room. Sorted by name, only
 * growing. Pure.
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
  // Half a dozen tools at hand are better than none: some of each server, as long as room is left for what is searched.
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
 * One tool of each server, then the next of each; of a server those that run without a question first. The server is what
 * stands before the two underscores; what has none is aish's own, which count as one server and come last.
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
  // By code unit, not by locale: the same everywhere.
  return [...chosen.values()].toSorted((a, b) => (a.name < b.name ? -1 : 1));
}
