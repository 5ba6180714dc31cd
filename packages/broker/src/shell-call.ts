import type { ToolCall } from '@aish/contracts/tools';
import { readObject } from './repair-json.js';

/** Names under which models call a shell that nobody described to them: they were trained on such tools. */
export const SHELL_CALLS: ReadonlySet<string> = new Set([
  'bash',
  'cmd',
  'exec',
  'execute',
  'execute_bash',
  'execute_command',
  'execute_shell_command',
  'local_shell',
  'run',
  'run_command',
  'run_shell_command',
  'run_terminal_cmd',
  'sh',
  'shell',
  'terminal',
]);

const COMMAND_KEYS = ['command', 'cmd', 'script', 'input'] as const;
const FOLDER_KEYS = ['cwd', 'workdir', 'working_directory', 'directory'] as const;

/**
 * The command that a call of such a tool asks for; null where it is another tool, where its arguments cannot be read, or
 * where it is to run in a folder of which a command line says nothing. Pure.
 */
export function shellCommandOf({ name, arguments: text }: Pick<ToolCall, 'name' | 'arguments'>): string | null {
  if (!SHELL_CALLS.has(name.replace(/^functions\./, ''))) return null;
  const args = readObject(text, true)?.value;
  if (args === undefined || FOLDER_KEYS.some((key) => isElsewhere(args[key]))) return null;
  const given = COMMAND_KEYS.flatMap((key) => (args[key] === undefined ? [] : [args[key]]));
  const [value] = given;
  if (given.length !== 1) return null;
  if (typeof value === 'string') return value.trim() === '' ? null : value.trim();
  // As in {"cmd": ["bash", "-lc", "ls -la"]}; any other list would have to be quoted.
  if (!Array.isArray(value) || value.length !== 3) return null;
  const [shell, option, command] = value as readonly unknown[];
  const isShell = (shell === 'bash' || shell === 'sh') && (option === '-c' || option === '-lc');
  return isShell && typeof command === 'string' && command.trim() !== '' ? command.trim() : null;
}

function isElsewhere(folder: unknown): boolean {
  return folder !== undefined && folder !== null && folder !== '' && folder !== '.' && folder !== '/workspace';
}
