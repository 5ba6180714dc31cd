import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { type Io, note } from '@aish/client/io';

const BACK = '\nPress Enter to return to the terminal UI. ';

/**
 * Runs `aish setup` as a separate program in this terminal and waits until the person has read its output. Nothing else
 * draws in the meantime. Ctrl-C ends only that program. @param options select the server
 */
export async function setUp(options: readonly string[], io: Io): Promise<void> {
  const { apart = (work) => work(io.signal) } = io;
  // Between two questions, Ctrl-C interrupts this process, too. The person must still see what setup said.
  await apart(async () => {
    const child = spawn(process.execPath, [process.argv[1] ?? '', ...options, 'setup', '--unwatched'], {
      stdio: 'inherit',
    });
    // The terminal sends Ctrl-C to the program directly. A signal to this process ends both.
    const end = (): boolean => child.kill('SIGTERM');
    io.signal.addEventListener('abort', end, { once: true });
    try {
      await once(child, 'close');
    } catch (error) {
      note(io, String(error));
    } finally {
      io.signal.removeEventListener('abort', end);
    }
  });
  if (!io.signal.aborted) await apart((interrupted) => enter(io, interrupted));
}

/** Waits for a line from the terminal and ignores its content. */
async function enter({ stdin, stderr, signal }: Io, interrupted: AbortSignal): Promise<void> {
  stderr.write(BACK);
  const over = AbortSignal.any([signal, interrupted]);
  await once(stdin.resume(), 'data', { signal: over }).catch((error: unknown) => {
    if (!over.aborted) throw error;
  });
  stdin.pause();
}
