import { stringify } from 'yaml';
import * as z from 'zod';
import { withoutDefaults } from './config-changes.js';
import { CONFIG_FILES, ConfigDocument } from './config-document.js';
import { readYaml, type ReadFile } from './yaml-file.js';

/** The JSON schema of the other configuration files. Editors use it to check and complete them. */
export const SCHEMA_FILE = 'schema.json';

/** Files by their names. */
export type Files = Readonly<Record<string, string>>;

/** Returns the document as YAML files, one for each property, and their JSON schema. */
export function configFiles(config: ConfigDocument): Files {
  const light = withoutDefaults(config);
  const files = CONFIG_FILES.filter((file) => light[file] !== undefined).map((file) => {
    const text = file === 'brief' ? (config.brief ?? '') : `${schemaLine(file)}\n${stringify(light[file])}`;
    return [`${file}.yaml`, text] as const;
  });
  const schema = z.toJSONSchema(ConfigDocument, { io: 'input', unrepresentable: 'any' });
  return { ...Object.fromEntries(files), [SCHEMA_FILE]: `${JSON.stringify(schema, null, 2)}\n` };
}

function schemaLine(file: string): string {
  return `# yaml-language-server: $schema=${SCHEMA_FILE}#/$defs/ConfigDocument/properties/${file}`;
}

/** The document of files, and where each of its values is. */
export interface ReadConfig {
  readonly config: ConfigDocument;
  /** Returns a place such as `spaces.yaml, line 3`. @param path in the document, joined by dots */
  readonly placeOf: (path: string) => string;
}

/** Reads the files of a configuration. @throws AishError `invalid_body`, which names the file and the line */
export function readConfigFiles(files: Files): ReadConfig {
  const read = new Map<string, ReadFile<unknown>>();
  const config: Record<string, unknown> = {};
  for (const file of CONFIG_FILES) {
    const text = files[`${file}.yaml`];
    if (text === undefined) continue;
    if (file === 'brief') config[file] = text;
    else {
      const schema: z.ZodType = ConfigDocument.shape[file];
      const found = readYaml(`${file}.yaml`, text, schema, 'Nothing has changed.');
      read.set(file, found);
      config[file] = found.value;
    }
  }
  const placeOf = (path: string): string => {
    const [file = '', ...rest] = path.split('.');
    return `${file}.yaml, line ${read.get(file)?.lineOf(rest.map(indexOrName)) ?? 1}`;
  };
  return { config: ConfigDocument.parse(config), placeOf };
}

function indexOrName(part: string): string | number {
  return /^\d+$/.test(part) ? Number(part) : part;
}
