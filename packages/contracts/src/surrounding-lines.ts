import type { CommandSurroundings, FoundFile } from './surroundings.js';

/**
 * What a person reads of where a command would begin: the folder, and each variable of earlier commands that changes what it
 * means. One line each; none where nothing is known, as of a tool.
 */
export function surroundingLines(surroundings: CommandSurroundings | null): readonly string[] {
  if (surroundings === null) return [];
  const { folder, variables } = surroundings;
  const carried = variables.map(({ name, value }) => `earlier commands set ${name}=${value}`);
  const kept = carried.length === 0 ? [] : ['it runs without that, unless you say otherwise'];
  const used = (surroundings.uses ?? []).map(({ name, value }) => `with ${name}=${value}, as earlier commands set it`);
  const lines = [`in ${folder}`, ...used, ...carried, ...kept, ...fileLines(surroundings.files ?? [])];
  return lines.map((each) => each.replaceAll('\n', '⟨U+000A⟩'));
}

const FILES_SHOWN = 5;
const FED_LINES = 8;

/** Which files it runs that nobody has read, and what it is fed. */
function fileLines(files: readonly FoundFile[]): readonly string[] {
  const run = files.filter(({ use }) => use === 'runs').map(({ path }) => path.replace(/^\/workspace\//, ''));
  const more = run.length > FILES_SHOWN ? ` and ${run.length - FILES_SHOWN} more` : '';
  const fed = files.flatMap(({ path, bytes, head }) => {
    if (head === undefined) return [];
    const lines = head.trimEnd().split('\n');
    const shown = lines.slice(0, FED_LINES).map((line) => `| ${line}`);
    return [`it is fed ${path} (${bytes} bytes):`, ...shown, ...(lines.length > FED_LINES ? ['| …'] : [])];
  });
  return [
    ...(run.length === 0 ? [] : [`runs files aish has not read: ${run.slice(0, FILES_SHOWN).join(', ')}${more}`]),
    ...fed,
  ];
}
