import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';

/** What the arguments of a call are: an object that fits the schema, or what to tell the model. */
export type Checked = { readonly arguments: Readonly<Record<string, unknown>> } | { readonly fault: string };

const SCHEMA_MAX_CHARS = 128 * 1024;
const ARGUMENTS_MAX_CHARS = 1024 * 1024;
const FAULTS_SHOWN = 5;
const KEPT = 500;

/**
 * Checks arguments by the schemas of tools, which come from servers and are no code of ours: what could take long to
 * check (patterns) or to compile (size) is left to the server, which checks by itself.
 */
export class ArgumentChecker {
  private readonly ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: false, logger: false });
  private readonly compiled = new Map<string, ValidateFunction | null>();

  /** Never throws. A schema that cannot be compiled lets every object through. */
  check(text: string, schema: Readonly<Record<string, unknown>>): Checked {
    if (text.length > ARGUMENTS_MAX_CHARS)
      return { fault: `the arguments are longer than ${ARGUMENTS_MAX_CHARS} characters` };
    let value: unknown;
    try {
      value = text.trim() === '' ? {} : JSON.parse(text);
    } catch (error) {
      return { fault: `the arguments are not valid JSON: ${(error as Error).message.slice(0, 200)}` };
    }
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      return { fault: 'the arguments must be a JSON object' };
    }
    const validate = this.validator(schema);
    if (validate === null || validate(value)) return { arguments: value as Record<string, unknown> };
    return { fault: `the arguments do not fit the schema: ${describe(validate.errors ?? [])}` };
  }

  private validator(schema: Readonly<Record<string, unknown>>): ValidateFunction | null {
    const key = JSON.stringify(schema);
    const known = this.compiled.get(key);
    if (known !== undefined) return known;
    const validate = this.compile(key, schema);
    this.compiled.set(key, validate);
    const oldest = this.compiled.keys().next();
    if (this.compiled.size > KEPT && oldest.done !== true) this.compiled.delete(oldest.value);
    return validate;
  }

  private compile(key: string, schema: Readonly<Record<string, unknown>>): ValidateFunction | null {
    if (key.length > SCHEMA_MAX_CHARS) return null;
    try {
      return this.ajv.compile(withoutPatterns(schema) as Record<string, unknown>);
    } catch {
      return null; // no schema that we understand: the server's own check decides
    }
  }
}

const LEFT_OUT = new Set(['pattern', 'patternProperties', 'propertyNames', 'format', '$id', '$schema', 'uniqueItems']);

function withoutPatterns(schema: unknown, isMap = false): unknown {
  if (Array.isArray(schema)) return schema.map((each) => withoutPatterns(each));
  if (typeof schema !== 'object' || schema === null) return schema;
  return Object.fromEntries(
    Object.entries(schema).flatMap(([key, value]): [string, unknown][] => {
      // Within `properties` the keys are names that the server chose, `format` among them.
      if (!isMap && LEFT_OUT.has(key)) return [];
      if (!isMap && (key === 'enum' || key === 'const' || key === 'default' || key === 'required'))
        return [[key, value]];
      const nextIsMap = !isMap && (key === 'properties' || key === '$defs' || key === 'definitions');
      return [[key, withoutPatterns(value, nextIsMap)]];
    }),
  );
}

function describe(errors: readonly ErrorObject[]): string {
  return errors
    .slice(0, FAULTS_SHOWN)
    .map(({ instancePath, message, params }) => {
      const { additionalProperty, allowedValues } = params as {
        additionalProperty?: string;
        allowedValues?: unknown[];
      };
      const more =
        additionalProperty === undefined
          ? allowedValues === undefined
            ? ''
            : ` (${JSON.stringify(allowedValues).slice(0, 200)})`
          : ` ("${additionalProperty.slice(0, 100)}")`;
      return `${instancePath === '' ? 'the object' : instancePath} ${message ?? 'is not valid'}${more}`;
    })
    .join('; ');
}
