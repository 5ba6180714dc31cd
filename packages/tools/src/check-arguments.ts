import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';

/** The arguments of a call as an object that matches the schema, or an error for the model. */
export type Checked = { readonly arguments: Readonly<Record<string, unknown>> } | { readonly fault: string };

const SCHEMA_MAX_CHARS = 128 * 1024;
const ARGUMENTS_MAX_CHARS = 1024 * 1024;
const FAULTS_SHOWN = 5;
const KEPT = 500;

/**
 * Checks arguments by the schemas of tools. The schemas come from servers and are untrusted. Parts that may take long
 * to check (patterns) or to compile (size) are left to the server's own check.
 */
export class ArgumentChecker {
  private readonly ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: false, logger: false });
  private readonly compiled = new Map<string, ValidateFunction | null>();

  /** Checks the arguments of a call. It never throws. If a schema does not compile, every object is accepted. */
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
    const twice = repeatedKey(text);
    if (twice !== null) return { fault: `the arguments name ${JSON.stringify(twice.slice(0, 100))} twice` };
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
      return null; // The schema is unusable, so only the server's own check decides.
    }
  }
}

/**
 * A key that an object in valid JSON has twice; null if there is none. A person would see both values, but only the last
 * one counts.
 */
export function repeatedKey(json: string): string | null {
  const open: Set<string>[] = [];
  for (const [token, key] of json.matchAll(/("(?:[^"\\]|\\.)*")\s*:|"(?:[^"\\]|\\.)*"|[{}]/g)) {
    if (token === '{') open.push(new Set());
    else if (token === '}') open.pop();
    else if (key !== undefined) {
      const name = JSON.parse(key) as string;
      if (open.at(-1)?.has(name) === true) return name;
      open.at(-1)?.add(name);
    }
  }
  return null;
}

const LEFT_OUT = new Set(['pattern', 'patternProperties', 'propertyNames', 'format', '$id', '$schema', 'uniqueItems']);

function withoutPatterns(schema: unknown, isMap = false): unknown {
  if (Array.isArray(schema)) return schema.map((each) => withoutPatterns(each));
  if (typeof schema !== 'object' || schema === null) return schema;
  return Object.fromEntries(
    Object.entries(schema).flatMap(([key, value]): [string, unknown][] => {
      // Within `properties` the keys are the server's names, which may include `format`.
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
