import { Injectable, type ArgumentMetadata, type PipeTransform } from '@nestjs/common';
import { AishError } from '@aish/contracts/problems';

interface Issue {
  readonly message: string;
  readonly path?: ReadonlyArray<PropertyKey | { readonly key: PropertyKey }> | undefined;
}

const MAX_ERRORS = 50;

/**
 * Checks every parameter that carries a schema (`@Body({ schema: CreateGoal })`, `@Query({ schema })`,
 * `@Param('id', { schema: z.uuid() })`) and hands the parsed value on, defaults and coercions applied. The OpenAPI
 * document is made from the same schemas.
 * @throws AishError `invalid_body` with `errors: [{ path, message }]`, 50 at most.
 */
@Injectable()
export class SchemaPipe implements PipeTransform {
  async transform(value: unknown, metadata: ArgumentMetadata): Promise<unknown> {
    if (metadata.schema === undefined) return value;
    // A request without a body has none at all, which a schema would call "expected object, received undefined".
    if (metadata.type === 'body' && metadata.data === undefined && value === undefined) {
      throw invalidBody('The request has no body; send a JSON document', []);
    }
    const result = await metadata.schema['~standard'].validate(value);
    if (result.issues === undefined) return result.value;
    const errors = result.issues.slice(0, MAX_ERRORS).map((issue) => ({
      path: pathOf(issue, metadata.data),
      message: issue.message,
    }));
    const first = errors[0];
    const where = { body: 'body', query: 'query', param: 'path', custom: 'request' }[metadata.type];
    const more = result.issues.length > 1 ? ` (and ${result.issues.length - 1} more)` : '';
    throw invalidBody(`In the ${where}: ${first?.path ? `${first.path}: ` : ''}${first?.message ?? ''}${more}`, errors);
  }
}

function invalidBody(detail: string, errors: ReadonlyArray<{ path: string; message: string }>): AishError {
  return new AishError('invalid_body', detail, { errors });
}

function pathOf(issue: Issue, parameter: string | undefined): string {
  const keys = (issue.path ?? []).map((part) => String(typeof part === 'object' ? part.key : part));
  return (parameter === undefined ? keys : [parameter, ...keys]).join('.');
}
