import type { ToolSpec } from '@aish/contracts/tools';

/** A tool as a request describes it to a model. */
export interface Definition {
  readonly name: string;
  readonly description: string;
  readonly parameters: Readonly<Record<string, unknown>>;
}

/** Maximum characters of a tool's or property's description for a model. */
const DESCRIPTION_MAX_CHARS = 400;
const PROPERTY_MAX_CHARS = 160;
const DEPTH_MAX = 6;
const ENUM_MAX = 40;

/**
 * The parts of a schema that help a model to fill it in. All others only use context, and some break llama.cpp's
 * grammars.
 */
const KEPT = new Set(['type', 'enum', 'const', 'default', 'required', 'minimum', 'maximum']);
const NESTED = ['items', 'additionalProperties', 'prefixItems'] as const;
const CHOICES = ['anyOf', 'oneOf', 'allOf'] as const;

/**
 * Reduces a tool to the parts that a model needs, without titles, examples, long texts, formats, patterns and lengths.
 * Lengths and patterns also produce grammars that llama.cpp refuses ("number of repetitions exceeds"). Local `$ref`s
 * are expanded, because its converter does not resolve all of them. The server still checks the arguments by its own
 * schema. Pure.
 */
export function definitionOf(spec: ToolSpec): Definition {
  const known = made.get(spec);
  if (known !== undefined) return known;
  const definition = trimmedOf(spec);
  made.set(spec, definition);
  return definition;
}

/** The definitions are cached, because every request describes the same tools. */
const made = new WeakMap<ToolSpec, Definition>();

function trimmedOf({ name, description, inputSchema }: ToolSpec): Definition {
  const trimmed = trim(inputSchema, inputSchema, 0);
  const parameters = { ...trimmed, type: 'object', properties: (trimmed['properties'] as object | undefined) ?? {} };
  return { name, description: shorten(description, DESCRIPTION_MAX_CHARS), parameters };
}

type Schema = Readonly<Record<string, unknown>>;

function trim(schema: unknown, root: Schema, depth: number): Record<string, unknown> {
  if (!isObject(schema) || depth > DEPTH_MAX) return {};
  const resolved = follow(schema, root);
  const out: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(resolved)) {
    if (key === 'enum' && Array.isArray(value)) out[key] = value.slice(0, ENUM_MAX);
    else if (KEPT.has(key)) out[key] = value;
  }
  const description = resolved['description'];
  if (depth > 0 && typeof description === 'string') out['description'] = shorten(description, PROPERTY_MAX_CHARS);
  if (isObject(resolved['properties'])) {
    out['properties'] = Object.fromEntries(
      Object.entries(resolved['properties']).map(([name, property]) => [name, trim(property, root, depth + 1)]),
    );
  }
  for (const key of NESTED) {
    const value = resolved[key];
    if (isObject(value)) out[key] = trim(value, root, depth + 1);
    else if (value === false) out[key] = false;
  }
  for (const key of CHOICES) {
    const value = resolved[key];
    if (Array.isArray(value)) out[key] = value.map((each) => trim(each, root, depth + 1));
  }
  return out;
}

/** Returns the schema behind a local reference, merged with the fields beside the reference. */
function follow(schema: Schema, root: Schema): Schema {
  const reference = schema['$ref'];
  if (typeof reference !== 'string' || !reference.startsWith('#/')) return schema;
  let target: unknown = root;
  for (const part of reference.slice(2).split('/')) {
    const key = part.replaceAll('~1', '/').replaceAll('~0', '~');
    target = isObject(target) && Object.hasOwn(target, key) ? target[key] : undefined;
  }
  if (!isObject(target) || typeof target['$ref'] === 'string') return schema;
  return { ...target, ...schema };
}

function isObject(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function shorten(text: string, maxChars: number): string {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  if (line.length <= maxChars) return line;
  const cut = line.slice(0, maxChars - 1);
  const sentence = cut.lastIndexOf('. ');
  return sentence > maxChars / 2 ? cut.slice(0, sentence + 1) : `${cut}…`;
}
