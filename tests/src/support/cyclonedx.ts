import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { Ajv } from 'ajv';
import { fullFormats } from 'ajv-formats/dist/formats.js';
import { z } from 'zod';

/** The parts of a CycloneDX document that tests use. */
export const Bom = z.object({
  metadata: z.object({ component: z.object({ type: z.string(), name: z.string() }) }),
  components: z.array(
    z.object({
      type: z.string(),
      name: z.string(),
      version: z.string(),
      purl: z.string().default(''),
      licenses: z.array(z.unknown()).default([]),
      evidence: z.object({ occurrences: z.array(z.object({ location: z.string() })) }).optional(),
    }),
  ),
});
export type Bom = z.infer<typeof Bom>;

/** Returns the errors of a document by the official schema. The schemas come from OWASP's own library. */
export function faultsOf(document: unknown): readonly string[] {
  const library = createRequire(import.meta.url).resolve('@cyclonedx/cyclonedx-library/package.json');
  const schema = (name: string): object => {
    const file = join(dirname(library), 'res', 'schema', `${name}.SNAPSHOT.schema.json`);
    return JSON.parse(readFileSync(file, 'utf8')) as object;
  };
  const { 'date-time': dateTime, uri } = fullFormats;
  const formats = { 'date-time': dateTime, uri, 'iri-reference': true, 'idn-email': true } as const;
  // Strict mode is off, because the schemas have their own keywords, such as `meta:enum`.
  const ajv = new Ajv({ strict: false, allErrors: true, formats });
  // The schema refers to other schemas by these names, which are those of the files.
  for (const name of ['spdx', 'jsf-0.82'])
    ajv.addSchema(schema(name), `http://cyclonedx.org/schema/${name}.SNAPSHOT.schema.json`);
  const isValid = ajv.validate(schema('bom-1.6'), document);
  return isValid ? [] : (ajv.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
}
