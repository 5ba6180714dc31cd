import { setTimeout as sleep } from 'node:timers/promises';
import { isAishError } from '@aish/contracts/problems';
import { engineAnswers, ensureSandboxImage, type PreparedEngine } from './engine.js';

/** The progress of preparing the sandbox. It changes while aish is already running. */
export interface SandboxProgress {
  /** The parts that are missing before commands can run, in words. Null if commands can run. */
  readonly missing: string | null;
  /** Resolves when nothing more will change. Never rejects. */
  readonly done: Promise<void>;
}

export interface SandboxOptions {
  readonly engine: PreparedEngine;
  /** Whether the user set SANDBOX_IMAGE, and must provide that image. */
  readonly isOwnImage: boolean;
  /** Programs to put before commands for the engine, so that they run as another user. */
  readonly prefix: readonly string[];
  readonly say: (line: string) => void;
  readonly signal: AbortSignal;
}

const LOOK_AGAIN_MS = 5_000;
const BUILD_AGAIN_MS = 60_000;

/**
 * Installs the engine if that was decided, then builds the image, in parallel with everything else. Without an engine
 * it waits until a person provides one, and then continues.
 */
export function readySandbox(options: SandboxOptions): SandboxProgress {
  const { engine, isOwnImage, prefix, say, signal } = options;
  const progress = { missing: null as string | null, done: Promise.resolve() };

  const work = async (): Promise<void> => {
    if (engine.step === 'install') progress.missing = 'Docker is being installed. Goals wait for it.';
    const state = await engine.carryOut();
    if (state.kind === 'absent') {
      progress.missing = `cannot run: ${state.why}. Goals wait until there is an engine.`;
      while (!(await engineAnswers(signal, prefix))) await sleep(LOOK_AGAIN_MS, undefined, { signal });
      say('Docker is running.');
    }
    if (!isOwnImage) await buildImage();
    progress.missing = null;
  };

  const buildImage = async (): Promise<void> => {
    progress.missing = 'the image for commands is being built. Goals wait for it.';
    for (;;) {
      let hasSaid = false;
      try {
        const tell = (line: string): void => {
          hasSaid = true;
          say(line);
        };
        await ensureSandboxImage(tell, signal, prefix);
        if (hasSaid) say('sandbox image: ready, commands can run');
        return;
      } catch (error) {
        if (!isAishError(error, 'image_missing')) throw error;
        say(`${error.message}\naish tries again in ${BUILD_AGAIN_MS / 1000} s.`);
        await sleep(BUILD_AGAIN_MS, undefined, { signal });
      }
    }
  };

  progress.done = work().catch((error: unknown) => {
    if (!signal.aborted) say(`sandbox: ${error instanceof Error ? error.message : String(error)}`);
  });
  return progress;
}
