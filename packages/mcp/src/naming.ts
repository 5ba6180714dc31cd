import { createHash } from 'node:crypto';

/** Maximum length of a function name for model endpoints. */
export const WIRE_NAME_MAX_CHARS = 64;
const HASH_CHARS = 8;
const EXACT = /^[a-zA-Z0-9_-]+$/;

/** Returns the name of a tool for people and policies. */
export function labelOf(alias: string, tool: string): string {
  return `${alias}.${tool}`;
}

/**
 * Returns the names that a model uses for the tools of one server: `alias__tool` if that is a valid function name,
 * otherwise cut to fit, with a hash of the label. A name depends only on its own tool, unless two hashes are equal.
 * Then the label that sorts later gets another name. Aliases contain no `__` and end with a letter or digit (contracts,
 * McpAlias), so names of two servers never collide.
 */
export function wireNames(alias: string, tools: readonly string[]): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  const taken = new Set<string>();
  const give = (tool: string, name: string): void => {
    names.set(tool, name);
    taken.add(name);
  };
  const distinct = [...new Set(tools)].toSorted();
  for (const tool of distinct) {
    const name = `${alias}__${tool}`;
    if (EXACT.test(tool) && name.length <= WIRE_NAME_MAX_CHARS) give(tool, name);
  }
  for (const tool of distinct) {
    if (names.has(tool)) continue;
    for (let attempt = 0; !names.has(tool); attempt += 1) {
      const name = hashedName(alias, tool, attempt);
      if (!taken.has(name)) give(tool, name);
    }
  }
  return names;
}

function hashedName(alias: string, tool: string, attempt: number): string {
  const label = labelOf(alias, tool) + (attempt === 0 ? '' : `\0${attempt}`);
  const hash = createHash('sha256').update(label).digest('hex').slice(0, HASH_CHARS);
  const room = WIRE_NAME_MAX_CHARS - alias.length - '__'.length - '_'.length - HASH_CHARS;
  return `${alias}__${tool.replaceAll(/[^a-zA-Z0-9_-]/g, '_').slice(0, room)}_${hash}`;
}

/** Makes an alias from a URL's host: `tools.example.org:8080` gives `tools-example-org-8080`. */
export function aliasOf(url: string): string {
  const { host } = new URL(url);
  const cleaned = host
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .slice(0, 32)
    .replaceAll(/^-+|-+$/g, '');
  return cleaned === '' ? 'server' : cleaned;
}
