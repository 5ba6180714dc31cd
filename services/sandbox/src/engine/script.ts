import { readFileSync } from 'node:fs';

// `src` and `dist` are at the same depth, so this path works from both.
const read = (name: string) => readFileSync(new URL(`../../scripts/${name}`, import.meta.url), 'utf8');
const programs = new Map<string, readonly string[]>();

/** Returns a script without its comments, because it is passed on a command line. */
export function shellScript(name: string): string {
  return read(name).replaceAll(/^ *#.*\n/gm, '');
}

/**
 * Returns the command that runs a module of the keeper together with its imports. Python's `-I` prevents the workspace
 * from influencing which modules are loaded.
 */
export function keeperCommand(module: string, ...args: readonly string[]): readonly string[] {
  const program = programs.get(module) ?? ['python3', '-I', '-c', read('load.py'), 'keeper', '', ...sourcesOf(module)];
  programs.set(module, program);
  return [...program, '--', `keeper.${module}`, ...args];
}

/** Returns the names and sources of a module and of its imports. */
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
