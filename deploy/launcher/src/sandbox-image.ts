import { isAishError } from '@aish/contracts';
import { ensureSandboxImage, type PreparedEngine } from './engine.js';

/** What stands between a goal and its commands, as it changes while aish runs already. */
export interface SandboxProgress {
  /** What is still missing, in words; null when commands can run. */
  readonly missing: string | null;
  /** Ends when nothing more will change. Never rejects. */
  readonly done: Promise<void>;
}

/** Installs the engine if that was decided, then builds the image, beside everything else. */
export function readySandbox(
  engine: PreparedEngine,
  isOwnImage: boolean,
  say: (line: string) => void,
  signal: AbortSignal,
): SandboxProgress {
  const progress = {
    missing: 'their image is being prepared, about 20 s the first time; goals wait for it.' as string | null,
    done: Promise.resolve(),
  };
  const work = async (): Promise<void> => {
    if (engine.step === 'install') progress.missing = 'Docker is being installed, about 20 s; goals wait for it.';
    const state = await engine.carryOut();
    if (state.kind === 'absent') {
      progress.missing = `cannot run: ${state.why}. Goals wait, and go on when there is one.`;
      return;
    }
    if (engine.step === 'install') say('Docker answers.');
    if (isOwnImage) {
      progress.missing = null;
      return;
    }
    progress.missing = 'their image is being built, about 20 s; goals wait for it.';
    let hasSaid = false;
    await ensureSandboxImage((line) => {
      hasSaid = true;
      say(line);
    }, signal);
    progress.missing = null;
    if (hasSaid) say('sandbox image: ready, commands can run');
  };
  progress.done = work().catch((error: unknown) => {
    if (signal.aborted) return;
    progress.missing = 'cannot run yet; the lines above say why.';
    say(isAishError(error) ? error.message : String(error));
  });
  return progress;
}
