import { Injectable, type ArgumentMetadata, type PipeTransform } from '@nestjs/common';
import { AishError } from '@aish/contracts/problems';
import type { z } from 'zod';

interface Issue {
  readonly message: string;
  readonly path?: ReadonlyArray<PropertyKey | { readonly key: PropertyKey }> | undefined;
}

const MAX_ERRORS = 50;

/** The part of a request, as errors name it. */
export type InputPlace = 'body' | 'query' | 'path' | 'request';

/**
 * Parses a part of a request, with defaults and coercions applied.
 *
 * @throws AishError `invalid_body` with `errors: [{ path, message }]`, at most 50.
 */
export function checkInput<S extends z.ZodType>(schema: S, value: unknown, place: InputPlace): z.output<S> {
  // A schema would report a missing body as "expected object, received undefined".
  if (place === 'body' && value === undefined) throw invalidBody('The request has no body. Send a JSON document', []);
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  throw refusedInput(result.error.issues, place, undefined);
}

/**
 * Checks every parameter with a schema (`@Body({ schema: CreateGoal })`, `@Query({ schema })`, `@Param('id', { schema:
 * z.uuid() })`) and passes the parsed value on, with defaults and coercions applied.
 *
 * @throws AishError `invalid_body` with `errors: [{ path, message }]`, at most 50.
 */
@Injectable()
export class SchemaPipe implements PipeTransform {
  async transform(value: unknown, metadata: ArgumentMetadata): Promise<unknown> {
    if (metadata.schema === undefined) return value;
    if (metadata.type === 'body' && metadata.data === undefined && value === undefined) {
      throw invalidBody('The request has no body. Send a JSON document', []);
    }
    const result = await metadata.schema['~standard'].validate(value);
    if (result.issues === undefined) return result.value;
    throw refusedInput(result.issues, PLACES[metadata.type], metadata.data);
  }
}

const PLACES = { body: 'body', query: 'query', param: 'path', custom: 'request' } as const;

function refusedInput(issues: readonly Issue[], place: InputPlace, parameter: string | undefined): AishError {
  const errors = issues
    .slice(0, MAX_ERRORS)
    .map((issue) => ({ path: pathOf(issue, parameter), message: issue.message }));
  const first = errors[0];
  const more = issues.length > 1 ? ` (and ${issues.length - 1} more)` : '';
  return invalidBody(`In the ${place}: ${first?.path ? `${first.path}: ` : ''}${first?.message ?? ''}${more}`, errors);
}

function invalidBody(detail: string, errors: ReadonlyArray<{ path: string; message: string }>): AishError {
  return new AishError('invalid_body', detail, { errors });
}

function pathOf(issue: Issue, parameter: string | undefined): string {
  const keys = (issue.path ?? []).map((part) => String(typeof part === 'object' ? part.key : part));
  return (parameter === undefined ? keys : [parameter, ...keys]).join('.');
}
