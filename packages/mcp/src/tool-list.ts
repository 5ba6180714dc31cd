import { ToolAnnotations, type ToolSpec } from '@aish/contracts/tools';
import type { Tool } from '@modelcontextprotocol/client';
import { cleanText } from './clean-text.js';
import { LIMITS } from './limits.js';
import { labelOf, wireNames } from './naming.js';

/** A tool of a server: as aish offers it, and as its server describes it. */
export interface ListedTool {
  readonly spec: ToolSpec;
  readonly tool: Tool;
}

export interface ToolListing {
  /** The tools, sorted by wire name. */
  readonly tools: readonly ListedTool[];
  /** Descriptions for people of the omitted tools, with the reasons. */
  readonly leftOut: readonly string[];
}

/** Returns the part of a server's list that is offered: cleaned, limited and named. The server may be hostile. */
export function toolListing(alias: string, trusted: boolean, offered: readonly Tool[]): ToolListing {
  const leftOut: string[] = [];
  const fit = new Map<string, { readonly tool: Tool; readonly schema: Record<string, unknown> }>();
  for (const tool of offered.slice(0, LIMITS.tools)) {
    const fault = fit.has(tool.name) ? 'its name occurs twice' : faultOf(tool);
    if (fault === null) fit.set(tool.name, { tool, schema: cleanSchema(tool.inputSchema) });
    else if (leftOut.length < LIMITS.logLines) leftOut.push(`${cleanText(tool.name, 64)}: ${fault}`);
  }
  if (offered.length > LIMITS.tools)
    leftOut.push(`${offered.length - LIMITS.tools} tools beyond the first ${LIMITS.tools}`);
  const names = wireNames(alias, [...fit.keys()]);
  const tools = [...fit.values()].map(({ tool, schema }): ListedTool => {
    const annotations = ToolAnnotations.safeParse(tool.annotations ?? {});
    const spec: ToolSpec = {
      name: names.get(tool.name) as string,
      label: labelOf(alias, tool.name),
      description: cleanText(tool.description ?? '', LIMITS.descriptionChars),
      inputSchema: schema,
      annotations: annotations.success ? withCleanTitle(annotations.data) : {},
      trusted,
    };
    return { spec, tool };
  });
  return { tools: tools.toSorted((a, b) => (a.spec.name < b.spec.name ? -1 : 1)), leftOut };
}

function withCleanTitle(annotations: ToolAnnotations): ToolAnnotations {
  return annotations.title === undefined ? annotations : { ...annotations, title: cleanText(annotations.title, 200) };
}

function faultOf(tool: Tool): string | null {
  if (tool.name === '' || tool.name.length > LIMITS.toolNameChars) {
    return `its name is not 1 to ${LIMITS.toolNameChars} characters long`;
  }
  // A name is shown, matched by policies and typed, so it must not contain a space.
  if (cleanText(tool.name, LIMITS.toolNameChars) !== tool.name || /\s/.test(tool.name)) {
    return 'its name contains characters that cannot be seen or typed';
  }
  if (!fitsDepth(tool.inputSchema, LIMITS.schemaDepth)) return `its schema is deeper than ${LIMITS.schemaDepth}`;
  const bytes = Buffer.byteLength(JSON.stringify(tool.inputSchema));
  return bytes > LIMITS.schemaBytes ? `its schema has ${bytes} bytes of at most ${LIMITS.schemaBytes}` : null;
}

function fitsDepth(value: unknown, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return true;
  return depth > 0 && Object.values(value).every((inner) => fitsDepth(inner, depth - 1));
}

/** Cleans the descriptions in a schema. Keys and values that a caller must repeat stay unchanged. */
function cleanSchema(schema: object): Record<string, unknown> {
  const cleaned = Object.entries(schema).map(([key, value]): [string, unknown] => {
    if ((key === 'description' || key === 'title') && typeof value === 'string') {
      return [key, cleanText(value, LIMITS.descriptionChars)];
    }
    if (Array.isArray(value)) return [key, value.map((item: unknown) => (isObject(item) ? cleanSchema(item) : item))];
    return [key, isObject(value) ? cleanSchema(value) : value];
  });
  return Object.fromEntries(cleaned);
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
