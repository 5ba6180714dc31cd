import { readFileSync } from 'node:fs';

// Beside dist and src alike.
const read = (name: string) => readFileSync(new URL(`../../scripts/${name}`, import.meta.url), 'utf8');
const programs = new Map<string, readonly string[]>();

/** A script for the shell. It is given on a command line, where nobody reads its comments. */
export function shellScript(name: string): string {
  return read(name).replaceAll(/^ *#.*\n/gm, '');
}

/** Runs a module of the keeper's package, with those that it imports. The workspace does not say what Python loads (`-I`). */
export function keeperCommand(module: string, ...args: readonly string[]): readonly string[] {
  const program = programs.get(module) ?? ['python3', '-I', '-c', read('load.py'), 'keeper', '', ...sourcesOf(module)];
  programs.set(module, program);
  return [...program, '--', `keeper.${module}`, ...args];
}

/** Names and texts. */
function sourcesOf(module: string): readonly string[] {
  const sources = new Map<string, string>();
  const add = (name: string): void => {
    if (sources.has(name)) return;
    const source = read(`keeper/${name}.py`);
    sources.set(name, source);
    for (const [, imported] of source.matchAll(/^from keeper\.(\w+) import /gm)) add(imported ?? '');
  };
  add(module);
  return [...sources].flatMap(([name, source]) => [`keeper.${name}`, source]);
}
