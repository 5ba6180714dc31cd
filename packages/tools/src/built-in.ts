import type { ToolCall, ToolSpec } from '@aish/contracts/tools';
import { repeatedKey } from './check-arguments.js';
import { definitionOf } from './definition.js';
import type { ShownResult } from './result.store.js';
import { searchTools } from './search.js';

const own = (name: string, description: string, properties: object, required: readonly string[]): ToolSpec => ({
  name,
  label: `aish.${name}`,
  description,
  inputSchema: { type: 'object', properties, required },
  annotations: { readOnlyHint: true },
  trusted: true,
});

export const FIND: ToolSpec = own(
  'tool_search',
  'Finds tools by words of what they do. There are more tools than are described here.',
  { query: { type: 'string' } },
  ['query'],
);

export const CALL: ToolSpec = own(
  'tool_call',
  'Calls a tool that tool_search found and that is not described here.',
  { name: { type: 'string' }, arguments: { type: 'object' } },
  ['name', 'arguments'],
);

export const READ: ToolSpec = own(
  'tool_result_read',
  'Reads on in a large result that was cut. Answers with the text from offset on.',
  {
    handle: { type: 'string' },
    offset: { type: 'integer', minimum: 0, description: 'characters from the beginning' },
    find: { type: 'string', description: 'instead of offset: where this text occurs first after it' },
  },
  ['handle'],
);

/** aish's own tools. A provider's tool cannot use their names. */
export const BUILT_IN: readonly ToolSpec[] = [CALL, READ, FIND];

const PAGE_CHARS = 8_000;
const BEFORE_FOUND_CHARS = 400;

/** Returns the call inside a `tool_call`. */
export function targetOf({ id, arguments: text }: ToolCall): { readonly call: ToolCall } | { readonly fault: string } {
  const example = `Give {"name": "a_tool", "arguments": {…}}.`;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { fault: `The arguments are not valid JSON. ${example}` };
  }
  const twice = repeatedKey(text);
  if (twice !== null) return { fault: `The arguments name ${JSON.stringify(twice.slice(0, 100))} twice. ${example}` };
  const { name, arguments: args = {} } = (value ?? {}) as { name?: unknown; arguments?: unknown };
  if (typeof name !== 'string' || name === CALL.name) return { fault: `There is no name of a tool. ${example}` };
  return { call: { id, name, arguments: typeof args === 'string' ? args : JSON.stringify(args) } };
}

/** Returns the answer of one of aish's own tools. `args` match its schema. */
export async function answerBuiltIn(
  spec: ToolSpec,
  args: Readonly<Record<string, unknown>>,
  specs: readonly ToolSpec[],
  readText: (handle: string) => Promise<string | null>,
): Promise<ShownResult> {
  if (spec.name === FIND.name) return find(String(args['query']), specs);
  const handle = String(args['handle']);
  const text = await readText(handle);
  if (text === null)
    return { result: { text: `There is no text kept as ${handle}.`, isError: true, omittedBytes: 0 }, found: [] };
  return {
    result: { text: page(text, Number(args['offset'] ?? 0), args['find']), isError: false, omittedBytes: 0 },
    found: [],
  };
}

function find(query: string, specs: readonly ToolSpec[]): ShownResult {
  const found = searchTools(specs, query);
  const lines = found.map((spec) => JSON.stringify(definitionOf(spec)));
  const text =
    lines.length === 0
      ? `No tool fits "${query}". There are ${specs.length} tools; try other words.`
      : [`Found, best first. Call one by its name, or through ${CALL.name}:`, ...lines].join('\n');
  return { result: { text, isError: false, omittedBytes: 0 }, found: found.map((spec) => spec.name) };
}

function page(text: string, offset: number, wanted: unknown): string {
  let start = Math.min(offset, text.length);
  if (typeof wanted === 'string' && wanted !== '') {
    const at = text.indexOf(wanted, start);
    if (at < 0) return `(not found after character ${start} of ${text.length})`;
    start = Math.max(0, at - BEFORE_FOUND_CHARS);
  }
  const end = Math.min(text.length, start + PAGE_CHARS);
  const more = end < text.length ? `; go on with offset ${end}` : '; that is the end';
  return `[characters ${start} to ${end} of ${text.length}${more}]\n${text.slice(start, end)}`;
}
