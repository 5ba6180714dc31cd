import * as z from 'zod';
import type { Declaration, Endpoint } from './endpoint.js';
import { ANY_ROUTE } from './endpoint-problems.js';
import { Problem } from './problem-document.js';
import { PROBLEMS, type ProblemCode } from './problems.js';

type JsonObject = { [name: string]: unknown };

export interface OpenApi {
  readonly openapi: '3.1.0';
  readonly info: JsonObject;
  readonly paths: Readonly<Record<string, Record<string, JsonObject>>>;
  readonly components: JsonObject;
}

/** Builds the OpenAPI document for a list of endpoints. */
export function openApi(endpoints: readonly Endpoint[], version: string): OpenApi {
  const schemas = new Schemas();
  const paths: Record<string, Record<string, JsonObject>> = {};
  for (const each of endpoints) {
    const path = each.path.replaceAll(/:(\w+)/g, '{$1}');
    (paths[path] ??= {})[each.method.toLowerCase()] = operation(each, schemas);
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'aish',
      version,
      description: `The api of aish. Errors are application/problem+json with a stable code. Any route can answer with ${ANY_ROUTE.join(', ')}.`,
    },
    paths,
    components: {
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer', description: 'A token of aish: aish_…' } },
      schemas: schemas.named,
    },
  };
}

function operation(declared: Endpoint, schemas: Schemas): JsonObject {
  const { scope, summary, params = {}, query, body, answer, path, problems = [] } = declared;
  const status = declared.status ?? (answer === undefined ? 204 : 200);
  const fields = query instanceof z.ZodObject ? query.shape : {};
  const parameters = [
    ...Object.entries(params).map(([name, schema]) => ({
      in: 'path',
      name,
      required: true,
      schema: schemas.of(schema),
    })),
    ...Object.entries(fields as Record<string, z.ZodType>).map(([name, schema]) => ({
      in: 'query',
      name,
      required: !schema.safeParse(undefined).success,
      schema: schemas.of(schema),
    })),
  ];
  return {
    summary,
    tags: [path.split('/')[2]],
    'x-aish-scope': scope,
    ...(problems.length === 0 ? {} : { 'x-aish-problems': [...new Set(problems)].toSorted() }),
    ...(scope === 'nothing' ? {} : { security: [{ bearer: [] }] }),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(body === undefined ? {} : { requestBody: { required: true, content: content(body, schemas) } }),
    responses: {
      [status]: { description: 'Done', ...(answer === undefined ? {} : { content: content(answer, schemas) }) },
      ...refusals(problems, schemas),
    },
  };
}

/** Returns the responses for errors, by status. */
function refusals(problems: readonly ProblemCode[], schemas: Schemas): JsonObject {
  const made: JsonObject = {};
  for (const code of [...new Set(problems)].toSorted()) {
    const { status, title } = PROBLEMS[code];
    const before = made[status] as { readonly description: string } | undefined;
    const description = `${before === undefined ? '' : `${before.description}; `}${code}: ${title}`;
    made[status] = { description, content: { 'application/problem+json': { schema: schemas.of(Problem) } } };
  }
  return made;
}

function content(what: NonNullable<Declaration['body']>, schemas: Schemas): JsonObject {
  if (what instanceof z.ZodType) return { 'application/json': { schema: schemas.of(what) } };
  return Object.fromEntries([what].flat().map((type) => [type, {}]));
}

/** Collects the schemas that a document refers to, each once. */
class Schemas {
  readonly named: JsonObject = {};

  of(schema: z.ZodType): JsonObject {
    const {
      $defs = {},
      $schema: _,
      ...made
    } = z.toJSONSchema(schema, {
      io: 'input',
      unrepresentable: 'any',
    }) as JsonObject & { $defs?: JsonObject };
    for (const [name, definition] of Object.entries($defs)) this.named[name] ??= pointed(definition);
    const name = z.globalRegistry.get(schema)?.id;
    if (name === undefined) return pointed(made) as JsonObject;
    this.named[name] ??= pointed(made);
    return { $ref: `#/components/schemas/${name}` };
  }
}

/** Rewrites references in the OpenAPI form. */
function pointed(schema: unknown): unknown {
  return JSON.parse(JSON.stringify(schema).replaceAll('"#/$defs/', '"#/components/schemas/')) as unknown;
}
