import { createHash } from 'node:crypto';
import {
  RUNBOOK_FILES_MAX,
  RUNBOOK_MAX_BYTES,
  RUNBOOK_TEXT_MAX_CHARS,
  RunbookName,
  RunbookParameter,
} from '@aish/contracts/runbooks';
import { visibleText } from '@aish/contracts/visible-text';
import { parse } from 'yaml';
import { z } from 'zod';

export const SKILL_FILE = 'SKILL.md';

/** Files of a runbook, by their relative paths. */
export type SkillFiles = ReadonlyMap<string, Buffer>;

export interface Skill {
  readonly name: string;
  readonly description: string;
  readonly text: string;
  readonly parameters: readonly RunbookParameter[];
  readonly tools: readonly string[];
  readonly commands: readonly string[];
  readonly digest: string;
  readonly faults: readonly string[];
  readonly hints: readonly string[];
}

/** The fields of https://agentskills.io/specification. Parameters are in `metadata`, which allows extensions. */
const FrontMatter = z.looseObject({
  name: RunbookName,
  description: z.string().trim().min(1).max(1_024),
  license: z.string().optional(),
  compatibility: z.string().max(500).optional(),
  metadata: z.record(z.string(), z.coerce.string()).default({}),
  'allowed-tools': z.string().max(10_000).default(''),
});
const KNOWN = new Set(['name', 'description', 'license', 'compatibility', 'metadata', 'allowed-tools']);

/**
 * Parses and checks an Agent Skill. It returns a result for any content. Pure.
 *
 * @param folder the name of the skill's folder.
 */
export function readSkill(folder: string, files: SkillFiles): Skill {
  const faults = faultsOfFiles(files);
  const digest = digestOf(files);
  const nothing = { name: folder, description: '', text: '', parameters: [], tools: [], commands: [], hints: [] };
  const source = files.get(SKILL_FILE)?.toString('utf8').replaceAll('\r\n', '\n');
  if (source === undefined) return { ...nothing, digest, faults: [`there is no ${SKILL_FILE}`, ...faults] };
  const [, head, text = ''] = /^---\n([\s\S]*?)\n---(?:\n([\s\S]*))?$/.exec(source) ?? [];
  if (head === undefined) {
    return { ...nothing, digest, faults: [`${SKILL_FILE} does not begin with --- , its fields, and ---`, ...faults] };
  }
  const fields = fieldsOf(head);
  if (typeof fields === 'string') return { ...nothing, digest, faults: [fields, ...faults] };
  if (fields.name !== folder) faults.push(`its name is ${fields.name}, but its folder is ${folder}`);
  if (text.trim() === '') faults.push('it has no text after its fields');
  if (text.length > RUNBOOK_TEXT_MAX_CHARS) {
    faults.push(`its text has ${text.length} characters, at most ${RUNBOOK_TEXT_MAX_CHARS}; put the rest into files`);
  }
  if (visibleText(asRead(source)) !== asRead(source)) faults.push('it contains invisible characters');
  const parameters = parametersOf(fields.metadata['parameters'] ?? '', faults);
  const { tools, commands, hints } = allowedOf(fields['allowed-tools']);
  const unknown = Object.keys(fields).filter((key) => !KNOWN.has(key));
  if (unknown.length > 0) hints.push(`not used here: ${unknown.join(', ')}`);
  const { name, description } = fields;
  return { name, description, text: text.trim(), parameters, tools, commands, digest, faults, hints };
}

/** Normalizes prose, which may have wide or non-breaking spaces, and emoji with variation selectors. */
const asRead = (source: string): string =>
  source.replaceAll(/\p{Zs}/gu, ' ').replaceAll(/(?<=\p{Extended_Pictographic})\uFE0F/gu, '');

function fieldsOf(head: string): z.infer<typeof FrontMatter> | string {
  let value: unknown;
  try {
    value = parse(head, { maxAliasCount: 0, schema: 'failsafe' });
  } catch (error) {
    return `its fields are not valid YAML: ${error instanceof Error ? (error.message.split('\n')[0] ?? '') : ''}`;
  }
  const parsed = FrontMatter.safeParse(value);
  if (parsed.success) return parsed.data;
  return parsed.error.issues.map(({ path, message }) => `${path.join('.') || 'fields'}: ${message}`).join('; ');
}

/** Parses parameters like `host, days=7`. Parameters without a default are required. */
function parametersOf(text: string, faults: string[]): RunbookParameter[] {
  return text.split(',').flatMap((part) => {
    if (part.trim() === '') return [];
    const [name = '', ...rest] = part.split('=');
    const parsed = RunbookParameter.safeParse({
      name: name.trim(),
      default: rest.length === 0 ? null : rest.join('=').trim(),
    });
    if (parsed.success) return [parsed.data];
    faults.push(`metadata.parameters: ${name.trim()} is not a valid name: lowercase letters, digits, - and _`);
    return [];
  });
}

/**
 * Parses permissions like `Bash(df -h /) kb.query`: whole command lines and labels of tools. Patterns are not
 * supported, because they would allow commands that nobody has seen.
 */
function allowedOf(text: string): { tools: string[]; commands: string[]; hints: string[] } {
  const tools: string[] = [];
  const commands: string[] = [];
  const hints: string[] = [];
  let rest = text;
  for (;;) {
    rest = rest.replace(/^[\s,]+/, '');
    if (rest === '') return { tools, commands, hints };
    const [whole, command] = /^Bash\(((?:[^()]|\([^()]*\))*)\)/.exec(rest) ?? [];
    const word = whole ?? /^[^\s,]+/.exec(rest)?.[0] ?? rest;
    rest = rest.slice(word.length);
    if (command !== undefined) {
      if (command.includes('*')) hints.push(`Bash(${command}) is a pattern, so aish asks about its commands`);
      else commands.push(command.trim());
    } else if (/^[\w-]+\.[\w.-]+$/.test(word)) tools.push(word);
    else hints.push(`${word} is not an aish tool; they have names such as kb.query`);
  }
}

function faultsOfFiles(files: SkillFiles): string[] {
  const faults: string[] = [];
  const sizeBytes = [...files.values()].reduce((sum, { length }) => sum + length, 0);
  if (files.size > RUNBOOK_FILES_MAX) faults.push(`${files.size} files, at most ${RUNBOOK_FILES_MAX}`);
  if (sizeBytes > RUNBOOK_MAX_BYTES) faults.push(`${sizeBytes} bytes, at most ${RUNBOOK_MAX_BYTES}`);
  for (const path of files.keys()) {
    const isPlain = path.split('/').every((part) => /^[\w][\w.@+ -]{0,99}$/.test(part));
    if (!isPlain) faults.push(`${JSON.stringify(path)} is not a valid path for a file here`);
  }
  return faults;
}

function digestOf(files: SkillFiles): string {
  const hash = createHash('sha256');
  for (const [path, content] of [...files].toSorted(([a], [b]) => (a < b ? -1 : 1))) {
    hash.update(`${JSON.stringify(path)} ${content.length}\n`).update(content);
  }
  return hash.digest('hex').slice(0, 32);
}
