import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { ROOT } from './root.js';

const AISH = fileURLToPath(new URL('clients/cli/bin/aish.mjs', ROOT));
const LEAVE_WITHIN_MS = 2_000;

/**
 * Runs the terminal UI in this terminal until the person quits it, or `signal` aborts.
 * @returns null after a normal end, or else the error
 */
export function runTui(
  env: Readonly<Record<string, string | undefined>>,
  dataRoot: string,
  signal: AbortSignal,
): Promise<string | null> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [AISH], { stdio: 'inherit', env: { ...env, AISH_DATA: dataRoot } });
    let timer: NodeJS.Timeout | undefined;
    const end = (): void => {
      child.kill('SIGTERM');
      timer = setTimeout(() => child.kill('SIGKILL'), LEAVE_WITHIN_MS);
    };
    signal.addEventListener('abort', end, { once: true });
    const settle = (fault: string | null): void => {
      signal.removeEventListener('abort', end);
      clearTimeout(timer);
      resolve(fault);
    };
    child.once('error', (error) => settle(`the terminal UI could not be started: ${error.message}`));
    child.once('exit', (code) =>
      settle(code === 0 || signal.aborted ? null : `the terminal UI exited with code ${code}`),
    );
  });
}
