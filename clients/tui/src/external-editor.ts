import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Io } from '@aish/client/io';

/** The text that the person left in the editor, or why there is none. */
export type Edited = { readonly text: string } | { readonly trouble: string };

/**
 * Opens a text in the person's editor, in this terminal, and waits until the editor ends. Nothing else may draw in the
 * meantime. Like git, it runs `$VISUAL` or `$EDITOR` in a shell, because they may contain options.
 */
export async function editText(text: string, { config, signal, apart = (work) => work(signal) }: Io): Promise<Edited> {
  const editor = config.VISUAL ?? config.EDITOR ?? 'vi';
  const folder = await mkdtemp(join(tmpdir(), 'aish-'));
  try {
    const file = join(folder, 'message.md');
    await writeFile(file, text, { mode: 0o600 });
    // Ctrl-C belongs to the editor. A signal to this process ends both.
    const code = await apart(async () => {
      const child = spawn('sh', ['-c', `${editor} "$1"`, 'sh', file], { stdio: 'inherit' });
      const end = (): boolean => child.kill('SIGTERM');
      signal.addEventListener('abort', end, { once: true });
      try {
        const [exitCode] = (await once(child, 'close')) as [number | null];
        return exitCode;
      } finally {
        signal.removeEventListener('abort', end);
      }
    });
    if (code !== 0) return { trouble: `the editor failed: ${editor} (${code === null ? 'killed' : `exit ${code}`})` };
    // Editors add a line break at the end, which is not part of the text.
    return { text: (await readFile(file, 'utf8')).replace(/\r?\n$/, '') };
  } catch (error) {
    return { trouble: `the editor failed: ${error instanceof Error ? error.message : String(error)}` };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
