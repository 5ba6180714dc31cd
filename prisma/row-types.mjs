#!/usr/bin/env node
// This script writes packages/database/src/generated/rows.ts, with one type for the rows of each table of
// schema.prisma. With --check it only compares.
import { readFileSync, writeFileSync } from 'node:fs';
import schemaWasm from '@prisma/prisma-schema-wasm';

const TYPES = {
  String: 'string',
  Int: 'number',
  Float: 'number',
  BigInt: 'bigint',
  Boolean: 'boolean',
  DateTime: 'Date',
  Json: 'unknown',
  Bytes: 'Uint8Array',
};
const target = new URL('../packages/database/src/generated/rows.ts', import.meta.url);
const prismaSchema = readFileSync(new URL('schema.prisma', import.meta.url), 'utf8');
const { datamodel } = JSON.parse(schemaWasm.get_dmmf(JSON.stringify({ prismaSchema, noColor: true })));

/** The `///` comment of the schema as a comment of TypeScript. */
const comment = (text, indent = '') => (text === undefined ? '' : `${indent}/** ${text.replaceAll(/\s+/g, ' ')} */\n`);

const rows = datamodel.models.map(({ name, dbName, fields, documentation }) => {
  const columns = fields
    .filter(({ kind }) => kind === 'scalar')
    .map((field) => {
      const type = TYPES[field.type];
      if (type === undefined)
        throw new Error(`prisma/row-types.mjs knows no TypeScript type for ${name}.${field.name}`);
      // Prisma has no nullable lists, so the comment of such a list says what null means.
      const mayBeNull = field.isList
        ? field.documentation?.includes('null: ')
        : !field.isRequired && type !== 'unknown';
      const orNull = mayBeNull ? ' | null' : '';
      return `${comment(field.documentation, '  ')}  readonly ${field.dbName ?? field.name}: ${type}${field.isList ? '[]' : ''}${orNull};\n`;
    });
  return `${comment(documentation)}export interface ${name}Row {\n${columns.join('')}}\n`;
});
const text = `// Generated from prisma/schema.prisma by prisma/row-types.mjs. DO NOT EDIT.\n\n${rows.join('\n')}`;
if (!process.argv.includes('--check')) writeFileSync(target, text);
else if (readFileSync(target, 'utf8') !== text) {
  console.error('The row types are not those of prisma/schema.prisma. Run: node prisma/row-types.mjs');
  process.exitCode = 1;
}
