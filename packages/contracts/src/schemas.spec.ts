import { readFileSync, readdirSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import * as z from 'zod';
import * as actions from './actions.js';
import * as approvals from './approvals.js';
import * as audit from './audit.js';
import * as backup from './backup.js';
import * as changeWindows from './change-windows.js';
import * as chat from './chat.js';
import * as configDocument from './config-document.js';
import * as decisions from './decisions.js';
import * as deviceLogin from './device-login.js';
import * as doctor from './doctor.js';
import * as effects from './effects.js';
import * as engine from './engine.js';
import * as escalation from './escalation.js';
import * as events from './events.js';
import * as evidence from './evidence.js';
import * as files from './files.js';
import * as goals from './goals.js';
import * as grants from './grants.js';
import * as health from './health.js';
import * as hostFolders from './host-folders.js';
import * as hosts from './hosts.js';
import * as images from './images.js';
import * as incomingEvents from './incoming-events.js';
import * as knowledgeLint from './knowledge-lint.js';
import * as knowledgeUpkeep from './knowledge-upkeep.js';
import * as knowledge from './knowledge.js';
import * as lab from './lab.js';
import * as mcpConfig from './mcp-config.js';
import * as mcp from './mcp.js';
import * as memoryDocuments from './memory-documents.js';
import * as memory from './memory.js';
import * as messengers from './messengers.js';
import * as models from './models.js';
import * as needs from './needs.js';
import * as network from './network.js';
import * as problemDocument from './problem-document.js';
import * as recall from './recall.js';
import * as runbooks from './runbooks.js';
import * as runs from './runs.js';
import * as safety from './safety.js';
import * as sandboxes from './sandboxes.js';
import * as schedules from './schedules.js';
import * as secrets from './secrets.js';
import * as trust from './trust.js';
import * as upgrade from './upgrade.js';
import * as sessions from './sessions.js';
import * as shownSettings from './shown-settings.js';
import * as signIn from './sign-in.js';
import * as skipped from './skipped.js';
import * as spaceName from './space-name.js';
import * as spaces from './spaces.js';
import * as stdio from './stdio.js';
import * as executionContext from './execution-context.js';
import * as tokens from './tokens.js';
import * as tools from './tools.js';
import * as web from './web.js';

/** The schemas of data that crosses a process boundary. */
const MODULES: Readonly<Record<string, object>> = {
  actions,
  approvals,
  audit,
  backup,
  'change-windows': changeWindows,
  chat,
  'config-document': configDocument,
  decisions,
  'device-login': deviceLogin,
  doctor,
  effects,
  engine,
  escalation,
  events,
  evidence,
  files,
  goals,
  grants,
  health,
  'host-folders': hostFolders,
  hosts,
  images,
  'incoming-events': incomingEvents,
  knowledge,
  'knowledge-lint': knowledgeLint,
  'knowledge-upkeep': knowledgeUpkeep,
  'mcp-config': mcpConfig,
  lab,
  mcp,
  memory,
  messengers,
  'memory-documents': memoryDocuments,
  models,
  needs,
  network,
  'problem-document': problemDocument,
  recall,
  runbooks,
  runs,
  safety,
  sandboxes,
  schedules,
  secrets,
  sessions,
  'shown-settings': shownSettings,
  'sign-in': signIn,
  skipped,
  'space-name': spaceName,
  trust,
  upgrade,
  spaces,
  stdio,
  'execution-context': executionContext,
  tokens,
  tools,
  web,
};
/** Settings. They are read from one text and never sent. */
const SETTINGS = ['HostFolderAllowlist', 'SandboxAddresses'];
/** These documents consist of schemas that are in the list. A random document is never valid as a whole. */
const COMPOSED = ['ConfigDocument', 'ApplyConfig'];
const schemas = Object.values(MODULES).flatMap((module) =>
  Object.entries(module).flatMap(([name, value]): [string, z.ZodType][] =>
    value instanceof z.ZodType && ![...SETTINGS, ...COMPOSED].includes(name) ? [[name, value]] : [],
  ),
);

describe('the schemas', () => {
  it('every exported schema is in the list of tested schemas', () => {
    const folder = new URL('.', import.meta.url);
    const files = readdirSync(folder).filter((file) => /^[a-z-]+\.ts$/.test(file) && file !== 'index.ts');
    const withSchemas = files.filter((file) =>
      /^export const \w+ = z\b/m.test(readFileSync(new URL(file, folder), 'utf8')),
    );
    expect(Object.keys(MODULES)).toEqual(expect.arrayContaining(withSchemas.map((file) => file.slice(0, -3))));
  });

  // The seed is fixed, because the number of values that fit must not differ from run to run.
  it.each(schemas)('%s accepts its own output after a round trip through JSON', (_name, schema) => {
    const fitting = fc
      .sample(valuesOf(schema), { numRuns: 25, seed: 18 })
      .map((value) => schema.safeParse(value))
      .flatMap((read) => (read.success ? [[read.data]] : []));
    expect(fitting.length).toBeGreaterThan(0);
    for (const [given] of fitting) {
      const sent = JSON.parse(JSON.stringify(given)) as unknown;
      expect(JSON.parse(JSON.stringify(schema.parse(sent)))).toEqual(sent);
    }
  });

  it.each(schemas.filter(([, schema]) => schema instanceof z.ZodObject))(
    '%s refuses every value that is not an object',
    (_n, schema) => {
      for (const value of [null, [], 'text', 7, true]) expect(schema.safeParse(value).success).toBe(false);
    },
  );
});

interface Definition {
  readonly type: string;
  readonly [key: string]: unknown;
}

interface Limits {
  readonly minimum?: number;
  readonly maximum?: number;
  readonly format?: string;
  readonly pattern?: RegExp;
}

const definitionOf = (schema: z.core.$ZodType): Definition => (schema as z.ZodType).def as unknown as Definition;

/** The lengths, sizes and formats that a schema requires. */
function limitsOf(schema: z.core.$ZodType): Limits {
  const { format, checks } = definitionOf(schema) as Definition & {
    readonly format?: string;
    readonly checks?: Check[];
  };
  return (checks ?? []).reduce<Limits>(
    (limits, { _zod: { def } }) => {
      if (def.check === 'min_length' || def.check === 'length_equals') return { ...limits, minimum: def.minimum ?? 0 };
      if (def.check === 'max_length') return { ...limits, maximum: def.maximum ?? 0 };
      if (def.check === 'greater_than')
        return { ...limits, minimum: (def.value ?? 0) + (def.inclusive === true ? 0 : 1) };
      if (def.check === 'less_than') return { ...limits, maximum: (def.value ?? 0) - (def.inclusive === true ? 0 : 1) };
      if (def.check === 'string_format' && def.pattern !== undefined) return { ...limits, pattern: def.pattern };
      return def.check === 'number_format' ? { ...limits, format: 'int' } : limits;
    },
    format === undefined ? {} : { format },
  );
}

interface Check {
  readonly _zod: {
    readonly def: {
      readonly check: string;
      readonly minimum?: number;
      readonly maximum?: number;
      readonly value?: number;
      readonly inclusive?: boolean;
      readonly pattern?: RegExp;
    };
  };
}

const NESTED_MAX = 3;

/**
 * Generates values with the form of a schema. Some of them may fail its refinements.
 *
 * @throws for an unsupported kind.
 */
function valuesOf(schema: z.core.$ZodType): fc.Arbitrary<unknown> {
  const definition = definitionOf(schema);
  const inner = (key = 'innerType'): fc.Arbitrary<unknown> => valuesOf(definition[key] as z.core.$ZodType);
  switch (definition.type) {
    case 'string':
      return stringsOf(schema);
    case 'number':
      return numbersOf(schema);
    case 'boolean':
      return fc.boolean();
    case 'null':
      return fc.constant(null);
    case 'unknown':
    case 'any':
      return fc.jsonValue({ maxDepth: 2 }).map((value) => JSON.parse(JSON.stringify(value)) as unknown);
    case 'literal':
      return fc.constantFrom(...(definition['values'] as unknown[]));
    case 'enum':
      return fc.constantFrom(...Object.values(definition['entries'] as Record<string, unknown>));
    case 'optional':
      return fc.option(inner(), { nil: undefined });
    case 'nullable':
      return fc.option(inner(), { nil: null });
    case 'default':
    case 'prefault':
    case 'readonly':
    case 'catch':
      return inner();
    case 'pipe':
      return inner('in');
    case 'lazy':
      return valuesOf((definition['getter'] as () => z.core.$ZodType)());
    case 'array':
      return listsOf(schema, inner('element'));
    case 'record':
      return fc.dictionary(inner('keyType') as fc.Arbitrary<string>, inner('valueType'), { maxKeys: NESTED_MAX });
    case 'union':
      return fc.oneof(...(definition['options'] as z.core.$ZodType[]).map(valuesOf));
    case 'tuple':
      return fc.tuple(...(definition['items'] as z.core.$ZodType[]).map(valuesOf));
    case 'object':
      return objectsOf(definition['shape'] as Record<string, z.core.$ZodType>);
    default:
      throw new TypeError(`arbitraryOf knows no ${definition.type}`);
  }
}

function stringsOf(schema: z.core.$ZodType): fc.Arbitrary<string> {
  const { minimum, maximum, format, pattern } = limitsOf(schema);
  if (format === 'uuid') return fc.uuid({ version: 4 });
  if (format === 'datetime') {
    const [min, max] = [new Date('2000-01-01'), new Date('2100-01-01')];
    return fc.date({ min, max, noInvalidDate: true }).map((date) => date.toISOString());
  }
  if (format === 'url') return fc.webUrl();
  if (pattern !== undefined) return fc.stringMatching(pattern);
  const minLength = minimum ?? 0;
  return fc.string({ minLength, maxLength: Math.min(maximum ?? 40, minLength + 40), unit: 'binary' });
}

function numbersOf(schema: z.core.$ZodType): fc.Arbitrary<number> {
  const { minimum, maximum, format } = limitsOf(schema);
  if (format !== undefined && format.includes('int')) {
    return fc.integer({ min: Math.max(minimum ?? 0, -1e9), max: Math.min(maximum ?? 1e9, 1e9) });
  }
  return fc.double({ min: minimum ?? -1e9, max: maximum ?? 1e9, noNaN: true }).map((n) => (Object.is(n, -0) ? 0 : n));
}

function listsOf(schema: z.core.$ZodType, element: fc.Arbitrary<unknown>): fc.Arbitrary<unknown[]> {
  const { minimum, maximum } = limitsOf(schema);
  const minLength = minimum ?? 0;
  return fc.array(element, { minLength, maxLength: Math.min(maximum ?? NESTED_MAX, minLength + NESTED_MAX) });
}

function objectsOf(shape: Record<string, z.core.$ZodType>): fc.Arbitrary<unknown> {
  const fields = Object.fromEntries(Object.entries(shape).map(([name, field]) => [name, valuesOf(field)]));
  // An optional field is absent, not present with the value undefined.
  return fc.record(fields).map((value) => JSON.parse(JSON.stringify(value)) as unknown);
}
