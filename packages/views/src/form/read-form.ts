import { z } from 'zod';
import type { Choice, Field } from './fields.js';

export type FormAnswer =
  | { readonly answer: Readonly<Record<string, string | number | boolean | readonly string[]>> }
  /** Describes what is wrong, and in which field. */
  | { readonly trouble: string; readonly at: number };

const Titled = z.object({ const: z.string(), title: z.string().optional() });
const Property = z.object({
  type: z.string().optional(),
  title: z.string().optional(),
  description: z.string().optional(),
  default: z.union([z.string(), z.number(), z.boolean(), z.array(z.string())]).optional(),
  enum: z.array(z.string()).optional(),
  enumNames: z.array(z.string()).optional(),
  oneOf: z.array(Titled).optional(),
  items: z.object({ enum: z.array(z.string()).optional(), anyOf: z.array(Titled).optional() }).optional(),
  minLength: z.number().optional(),
  maxLength: z.number().optional(),
  minimum: z.number().optional(),
  maximum: z.number().optional(),
  format: z.string().optional(),
});
type Property = z.infer<typeof Property>;
const Schema = z.object({
  properties: z.record(z.string(), z.unknown()).optional(),
  required: z.array(z.string()).optional(),
});

/**
 * Returns the fields of an elicitation's JSON schema, which is flat: strings, numbers, yes or no, and choices. Any
 * other property becomes a text field. Source: Model Context Protocol 2025-11-25, elicitation.
 */
export function fieldsOf(request: Readonly<Record<string, unknown>>): readonly Field[] {
  const schema = Schema.safeParse(request);
  if (!schema.success) return [];
  const { properties = {}, required = [] } = schema.data;
  return Object.entries(properties).map(([name, raw]) => {
    const read = Property.safeParse(raw);
    return fieldOf(name, read.success ? read.data : {}, required.includes(name));
  });
}

function fieldOf(name: string, property: Property, isRequired: boolean): Field {
  const { title = name, description = '', minLength, maxLength, minimum, maximum, format } = property;
  return {
    name,
    title,
    about: description,
    kind: kindOf(property),
    choices: choicesOf(property),
    isRequired,
    isHidden: format === 'password',
    initial: initialOf(property),
    bounds: { minLength, maxLength, minimum, maximum, format },
  };
}

function kindOf({ type, items, oneOf, enum: values }: Property): Field['kind'] {
  if (type === 'array' && items !== undefined) return 'choices';
  if (values !== undefined || oneOf !== undefined) return 'choice';
  if (type === 'boolean') return 'yes or no';
  return type === 'number' || type === 'integer' ? type : 'text';
}

function choicesOf({ type, enum: values, enumNames, oneOf, items }: Property): readonly Choice[] {
  if (type === 'boolean') return YES_OR_NO;
  const titled = oneOf ?? items?.anyOf;
  if (titled !== undefined) return titled.map(({ const: value, title = value }) => ({ value, title }));
  return (values ?? items?.enum ?? []).map((value, index) => ({ value, title: enumNames?.[index] ?? value }));
}

const YES_OR_NO: readonly Choice[] = [
  { value: 'true', title: 'yes' },
  { value: 'false', title: 'no' },
];

/** Returns the initial value. It selects nothing for the person, unless the server gives a default. */
function initialOf({ default: usual }: Property): string {
  if (usual === undefined) return '';
  return Array.isArray(usual) ? usual.join('\n') : String(usual);
}

/** Returns the values with the types of the schema. An empty field is omitted if it is optional. */
export function answerOf(fields: readonly Field[], values: readonly string[]): FormAnswer {
  const answer: Record<string, string | number | boolean | readonly string[]> = {};
  for (const [at, field] of fields.entries()) {
    const typed = values[at] ?? '';
    if (typed.trim() === '') {
      if (field.isRequired) return { trouble: `${field.title} is required`, at };
      continue;
    }
    const fault = faultOf(field, typed);
    if (fault !== null) return { trouble: `${field.title} ${fault}`, at };
    answer[field.name] = valueOf(field, typed);
  }
  return { answer };
}

function valueOf({ kind }: Field, typed: string): string | number | boolean | readonly string[] {
  switch (kind) {
    case 'number':
    case 'integer':
      return Number(typed);
    case 'yes or no':
      return typed === 'true';
    case 'choices':
      return typed.split('\n');
    case 'choice':
    case 'text':
      return typed;
  }
}

function faultOf({ kind, bounds }: Field, typed: string): string | null {
  const { minLength = 0, maxLength = Infinity, minimum = -Infinity, maximum = Infinity, format } = bounds;
  if (kind === 'number' || kind === 'integer') {
    const value = Number(typed);
    if (!Number.isFinite(value)) return 'must be a number';
    if (kind === 'integer' && !Number.isInteger(value)) return 'must be a whole number';
    if (value < minimum) return `must be ${minimum} or more`;
    return value > maximum ? `must be ${maximum} or less` : null;
  }
  if (kind !== 'text') return null;
  const length = Array.from(typed).length;
  if (length < minLength) return `must have ${minLength} characters or more`;
  if (length > maxLength) return `must have ${maxLength} characters or fewer`;
  return format === undefined ? null : faultOfFormat(format, typed);
}

function faultOfFormat(format: string, typed: string): string | null {
  switch (format) {
    case 'email':
      return z.email().safeParse(typed).success ? null : 'must be an email address';
    case 'uri':
      return URL.canParse(typed) ? null : 'must be an address such as https://…';
    case 'date':
      return z.iso.date().safeParse(typed).success ? null : 'must be a date such as 2026-11-21';
    case 'date-time':
      return z.iso.datetime({ offset: true }).safeParse(typed).success
        ? null
        : 'must be a date and time such as 2026-11-21T12:00:00Z';
    default:
      return null;
  }
}
