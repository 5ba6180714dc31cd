import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { z } from 'zod';
import { readPages } from '../descriptions/pages.js';

/** A public set as commands, as it lies in its own repository. */
export interface PublicSet {
  readonly name: string;
  readonly commands: readonly string[];
}

const Golden = z.array(z.object({ gold: z.string() }));
const Transcripts = z.record(z.string(), z.object({ turn_history: z.object({ actions: z.array(z.string()) }) }));
const Codes = z.array(z.object({ Code: z.string() }));
const Atomic = z.object({
  atomic_tests: z.array(
    z.object({
      supported_platforms: z.array(z.string()).default([]),
      input_arguments: z.record(z.string(), z.object({ default: z.unknown() })).default({}),
      executor: z.object({ name: z.string(), command: z.string().default('') }),
    }),
  ),
});

const READERS: Readonly<Record<string, (folder: string) => readonly string[]>> = {
  'InterCode-Bash, its solutions': (folder) =>
    jsonOf(folder, 'data/nl2bash', /_fs_\d\.json$/).flatMap((value) => Golden.parse(value).map(({ gold }) => gold)),
  'InterCode-Bash, GPT-4': (folder) =>
    jsonOf(folder, 'data/results/bash/gpt-4', /\.json$/).flatMap((value) =>
      Object.values(Transcripts.parse(value)).flatMap(({ turn_history }) => turn_history.actions),
    ),
  'RedCode-Exec, bash': (folder) =>
    jsonOf(folder, 'dataset/RedCode-Exec/bash2text_dataset_json', /\.json$/).flatMap((value) =>
      Codes.parse(value).map(({ Code }) => Code.replaceAll('\\n', '\n')),
    ),
  'RedCode-Exec, Python': (folder) =>
    jsonOf(folder, 'dataset/RedCode-Exec/py2text_dataset_json', /\.json$/).flatMap((value) =>
      Codes.parse(value).map(({ Code }) => `python3 - <<'PYTHON_CODE'\n${Code}\nPYTHON_CODE`),
    ),
  'Atomic Red Team, Linux': (folder) =>
    filesOf(folder, 'atomics', /\/T[\d.]+\.yaml$/).flatMap((file) =>
      Atomic.parse(parse(readFileSync(file, 'utf8'))).atomic_tests.flatMap((test) => {
        const isOurs = test.supported_platforms.includes('linux') && /^(sh|bash)$/.test(test.executor.name);
        return isOurs ? [filled(test.executor.command, test.input_arguments)] : [];
      }),
    ),
  NL2Bash: (folder) => readFileSync(join(folder, 'data/bash/all.cm'), 'utf8').split('\n').filter(Boolean),
  'tldr, common and linux': (folder) =>
    ['pages/common', 'pages/linux'].flatMap((part) => readPages(join(folder, part)).map(({ command }) => command)),
};

/** The sets that are below `folder`, each in a folder of any name, laid out as in its repository. */
export function publicSets(folder: string): readonly PublicSet[] {
  const roots = readdirSync(folder, { withFileTypes: true }).flatMap((entry) =>
    entry.isDirectory() ? [join(folder, entry.name)] : [],
  );
  return Object.entries(READERS).flatMap(([name, read]) => {
    const commands = roots.flatMap((root) => (isThere(root, name) ? read(root) : []));
    return commands.length === 0 ? [] : [{ name, commands }];
  });
}

const PLACES: Readonly<Record<string, string>> = {
  'InterCode-Bash, its solutions': 'data/nl2bash',
  'InterCode-Bash, GPT-4': 'data/results/bash/gpt-4',
  'RedCode-Exec, bash': 'dataset/RedCode-Exec/bash2text_dataset_json',
  'RedCode-Exec, Python': 'dataset/RedCode-Exec/py2text_dataset_json',
  'Atomic Red Team, Linux': 'atomics',
  NL2Bash: 'data/bash/all.cm',
  'tldr, common and linux': 'pages/linux',
};
const isThere = (root: string, name: string): boolean => existsSync(join(root, PLACES[name] ?? ''));

function filesOf(root: string, part: string, which: RegExp): readonly string[] {
  return readdirSync(join(root, part), { recursive: true, encoding: 'utf8' })
    .map((file) => join(root, part, file))
    .filter((file) => which.test(file))
    .toSorted();
}

const jsonOf = (root: string, part: string, which: RegExp): readonly unknown[] =>
  filesOf(root, part, which).map((file) => JSON.parse(readFileSync(file, 'utf8')) as unknown);

function filled(command: string, args: Readonly<Record<string, { readonly default?: unknown }>>): string {
  return command.replaceAll(/#\{(\w+)\}/g, (whole, name: string) => {
    const value = args[name]?.default;
    return typeof value === 'string' || typeof value === 'number' ? String(value) : whole;
  });
}
