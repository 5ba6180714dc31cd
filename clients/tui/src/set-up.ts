import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { type Io, note } from '@aish/client/io';

const BACK = '\nEnter goes back to the terminal UI. ';

/**
 * Runs `aish setup` as a separate program in this terminal, while nothing else draws on it, and waits until the person
 * has read its output. Ctrl-C ends that program and nothing else.
 * @param options those that name the server, as given to this program
 */
export async function setUp(options: readonly string[], io: Io): Promise<void> {
  const { apart = (work) => work(io.signal) } = io;
  await apart(async (interrupted) => {
    const child = spawn(process.execPath, [process.argv[1] ?? '', ...options, 'setup', '--unwatched'], {
      stdio: 'inherit',
    });
    // The terminal tells the program of Ctrl-C by itself; what ends this one ends both.
    const end = (): boolean => child.kill('SIGTERM');
    io.signal.addEventListener('abort', end, { once: true });
    try {
      await once(child, 'close');
    } catch (error) {
      note(io, String(error));
    } finally {
      io.signal.removeEventListener('abort', end);
    }
    if (!interrupted.aborted) await enter(io, interrupted);
  });
}

/** Waits for a line, as the terminal hands it on; nothing of it is read. */
async function enter({ stdin, stderr, signal }: Io, interrupted: AbortSignal): Promise<void> {
  stderr.write(BACK);
  const over = AbortSignal.any([signal, interrupted]);
  await once(stdin.resume(), 'data', { signal: over }).catch((error: unknown) => {
    if (!over.aborted) throw error;
  });
  stdin.pause();
}
