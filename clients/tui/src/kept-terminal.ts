import { mkdirSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { VIEWS, type ViewId } from './view-id.js';

const KEPT_FOR_MS = 24 * 3_600_000;

const viewId = z.string().refine((id): id is ViewId => VIEWS.some((view) => view.id === id));

/** The place in the terminal UI where a person was. */
export const Whereabouts = z.object({
  server: z.string(),
  view: viewId,
  /** The session of the chat. */
  chat: z.string().nullable(),
  /** The ID of the selected goal. */
  goal: z.string().nullable(),
  /** The unsent text: the prompt and the queued messages. */
  prompt: z.string(),
});
export type Whereabouts = z.infer<typeof Whereabouts>;

/**
 * Remembers a person's place in case the terminal disappears because of a closed window, a lost SSH connection or a
 * kill. There is one file per running terminal UI. The feature is optional, so nothing here throws.
 */
export class KeptTerminal {
  private written = '';

  constructor(
    private readonly folder: string,
    private readonly pid: number = process.pid,
  ) {}

  /** Returns the place of a terminal UI that crashed within the last day. Each place is returned once. */
  take(server: string, nowMs: number): Whereabouts | null {
    for (const { path, pid, atMs } of this.files()) {
      if (pid === this.pid || isAlive(pid)) continue;
      const kept = readKept(path);
      const isStale = kept === null || nowMs - atMs > KEPT_FOR_MS;
      if (isStale || kept.server === server) quietly(() => rmSync(path, { force: true }));
      if (!isStale && kept.server === server) return kept;
    }
    return null;
  }

  keep(where: Whereabouts): void {
    const text = JSON.stringify(where);
    if (text === this.written) return;
    quietly(() => {
      mkdirSync(this.folder, { recursive: true, mode: 0o700 });
      writeFileSync(this.path, text, { mode: 0o600 });
      this.written = text;
    });
  }

  /** Forgets the place, because the person has quit. */
  forget(): void {
    quietly(() => rmSync(this.path, { force: true }));
  }

  private get path(): string {
    return join(this.folder, `${this.pid}.json`);
  }

  /** Lists the files, newest first. */
  private files(): readonly { readonly path: string; readonly pid: number; readonly atMs: number }[] {
    const names = quietly(() => readdirSync(this.folder)) ?? [];
    return names
      .flatMap((name) => {
        const pid = Number(/^(\d+)\.json$/.exec(name)?.[1] ?? Number.NaN);
        const path = join(this.folder, name);
        const atMs = quietly(() => statSync(path).mtimeMs);
        return Number.isNaN(pid) || atMs === undefined ? [] : [{ path, pid, atMs }];
      })
      .toSorted((a, b) => b.atMs - a.atMs);
  }
}

function readKept(path: string): Whereabouts | null {
  return quietly(() => Whereabouts.parse(JSON.parse(readFileSync(path, 'utf8')))) ?? null;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** Ignores errors, because the terminal UI works even if it cannot write the file. */
function quietly<T>(act: () => T): T | undefined {
  try {
    return act();
  } catch {
    return undefined;
  }
}
