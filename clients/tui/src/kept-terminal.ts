import { mkdirSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { VIEWS, type ViewId } from './view-id.js';

const KEPT_FOR_MS = 24 * 3_600_000;

const viewId = z.string().refine((id): id is ViewId => VIEWS.some((view) => view.id === id));

/** Where a person was in the terminal UI. */
export const Whereabouts = z.object({
  server: z.string(),
  view: viewId,
  /** Session of the chat. */
  chat: z.string().nullable(),
  /** Id of the chosen goal. */
  goal: z.string().nullable(),
  /** What was being typed, and what waited to be sent. */
  prompt: z.string(),
});
export type Whereabouts = z.infer<typeof Whereabouts>;

/**
 * Keeps where a person is, for when the terminal goes away under them: a closed window, a lost connection over SSH, a
 * kill. One file for each running terminal UI; a comfort, so nothing here throws.
 */
export class KeptTerminal {
  private written = '';

  constructor(
    private readonly folder: string,
    private readonly pid: number = process.pid,
  ) {}

  /** Where somebody was whose terminal UI ended without their doing, at most a day ago; each is told once. */
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

  /** The person has left by themselves. */
  forget(): void {
    quietly(() => rmSync(this.path, { force: true }));
  }

  private get path(): string {
    return join(this.folder, `${this.pid}.json`);
  }

  /** Newest first. */
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

/** The terminal UI works even if it cannot write the file. */
function quietly<T>(act: () => T): T | undefined {
  try {
    return act();
  } catch {
    return undefined;
  }
}
