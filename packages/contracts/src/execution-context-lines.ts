import { HOST_FILE_HEAD_MAX_BYTES, type ExecutionContext, type FoundFile, type HostFile } from './execution-context.js';

/**
 * Shows a person where a command would start: the folder, and each variable of earlier commands that changes its
 * meaning, one per line. Empty if the context is unknown, for example for a tool.
 *
 * @param scriptLines Maximum number of lines shown of each script on a host.
 */
export function executionContextLines(
  executionContext: ExecutionContext | null,
  scriptLines = SCRIPT_LINES,
): readonly string[] {
  if (executionContext === null) return [];
  const { folder, variables } = executionContext;
  const carried = variables.map(({ name, value }) => `earlier commands set ${name}=${value}`);
  const kept = carried.length === 0 ? [] : ['it runs without earlier variables unless you choose otherwise'];
  const used = (executionContext.uses ?? []).map(
    ({ name, value }) => `with ${name}=${value}, as earlier commands set it`,
  );
  const lines = [
    `in ${folder}`,
    ...used,
    ...carried,
    ...kept,
    ...fileLines(executionContext.files ?? []),
    ...hostLines(executionContext.hostFiles ?? [], scriptLines),
  ];
  return lines.map((each) => each.replaceAll('\n', '⟨U+000A⟩'));
}

const FILES_SHOWN = 5;
const FED_LINES = 8;

/** Lines about the unread files that a command runs, about its stdin, and about files from which it takes words. */
function fileLines(files: readonly FoundFile[]): readonly string[] {
  const run = files.filter(({ use }) => use === 'runs').map(({ path }) => path.replace(/^\/workspace\//, ''));
  const more = run.length > FILES_SHOWN ? ` and ${run.length - FILES_SHOWN} more` : '';
  const fed = files.flatMap(({ path, use, bytes, head }) => {
    if (use === 'decides' && head === undefined && bytes > 0)
      return [`it takes words from ${path} (${bytes} bytes), which aish does not show`];
    if (head === undefined) return [];
    const lines = head.trimEnd().split('\n');
    const shown = lines.slice(0, FED_LINES).map((line) => `| ${line}`);
    const what =
      use === 'decides'
        ? `it takes words from ${path} (${bytes} bytes):`
        : `it reads ${path} (${bytes} bytes) from stdin:`;
    return [what, ...shown, ...(lines.length > FED_LINES ? ['| …'] : [])];
  });
  return [
    ...(run.length === 0 ? [] : [`runs files that aish has not read: ${run.slice(0, FILES_SHOWN).join(', ')}${more}`]),
    ...fed,
  ];
}

const SCRIPT_LINES = 20;

/** Lines about the scripts that a command runs on hosts, with their text, because an approval covers this content. */
function hostLines(files: readonly HostFile[], limit: number): readonly string[] {
  return files.flatMap(({ host, path, content, bytes, head, finding }) => {
    // `make` looks for several files, and all but one are usually missing.
    if (content === 'missing') return [];
    if (content === null)
      return [`aish could not read ${path} on ${host}, so your approval does not cover its content`];
    const lines = head.trimEnd().split('\n');
    const isWhole = lines.length <= limit && bytes <= HOST_FILE_HEAD_MAX_BYTES;
    return [
      `runs ${path} on ${host} (${bytes} bytes)${finding === null ? '' : `; caution: ${finding}`}`,
      ...lines.slice(0, limit).map((line) => `| ${line}`),
      ...(isWhole ? [] : [limit === Infinity ? '| … (aish read only this part)' : '| … (see more with aish show)']),
    ];
  });
}
