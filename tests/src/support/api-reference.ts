import { ANY_ROUTE } from '@aish/contracts/endpoint-problems';
import { z } from 'zod';

const Schema = z.object({ $ref: z.string().optional() }).loose();
const Content = z.record(z.string(), z.object({ schema: Schema.optional() }).loose());
const Operation = z
  .object({
    summary: z.string().default(''),
    'x-aish-scope': z.string(),
    'x-aish-problems': z.array(z.string()).default([]),
    parameters: z
      .array(z.object({ name: z.string(), in: z.string(), required: z.boolean().default(false) }).loose())
      .default([]),
    requestBody: z.object({ content: Content }).loose().optional(),
    responses: z.record(z.string(), z.object({ content: Content.optional() }).loose()),
  })
  .loose();

/** The parts of the api's OpenAPI document that the reference uses. */
export const OpenApi = z
  .object({
    info: z.object({ version: z.string() }).loose(),
    paths: z.record(z.string(), z.record(z.string(), Operation)),
  })
  .loose();
export type OpenApi = z.infer<typeof OpenApi>;

const HEAD = `# API reference

Made from the api's own OpenAPI document; a test compares them. The document itself, with every schema:

    curl -s -H "Authorization: Bearer $(cat token)" http://127.0.0.1:7717/openapi.json

Each route lists its own errors. Any route can also answer with ${ANY_ROUTE.map((code) => `\`${code}\``).join(', ')}.
`;

/** Generates docs/api.md: every route with its permission, input and output. */
export function apiReference(document: OpenApi): string {
  const byPart = new Map<string, [string, OpenApi['paths'][string]][]>();
  for (const entry of Object.entries(document.paths)) {
    const part = entry[0].split('/')[2] ?? '';
    byPart.set(part, [...(byPart.get(part) ?? []), entry]);
  }
  const inOrder = [...byPart.entries()].toSorted(([a], [b]) => (a < b ? -1 : 1));
  const parts = inOrder.map(([part, paths]) => {
    const rows = paths
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .flatMap(([path, methods]) => Object.entries(methods).map(([method, operation]) => row(method, path, operation)));
    return `## ${part}\n\n| route | | scope | takes | gives | errors |\n|---|---|---|---|---|---|\n${rows.join('\n')}\n`;
  });
  return `${HEAD}\n${parts.join('\n')}`;
}

function row(method: string, path: string, operation: z.infer<typeof Operation>): string {
  const query = operation.parameters
    .filter((parameter) => parameter.in === 'query')
    .map(({ name, required }) => (required ? name : `${name}?`));
  const takes = [...(query.length > 0 ? [`?${query.join(', ')}`] : []), ...named(operation.requestBody?.content)];
  const good = Object.entries(operation.responses).filter(([status]) => status.startsWith('2'));
  const gives = good.flatMap(([, { content }]) => named(content));
  const cells = [
    `\`${method.toUpperCase()} ${path}\``,
    operation.summary,
    operation['x-aish-scope'],
    takes.join('; '),
    gives.join('; '),
    operation['x-aish-problems'].join(', '),
  ];
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
}

/** Returns the names of schemas, or the content types of content without a schema. */
function named(content: z.infer<typeof Content> | undefined): string[] {
  return Object.entries(content ?? {}).map(([type, { schema }]) => schema?.$ref?.split('/').at(-1) ?? type);
}
