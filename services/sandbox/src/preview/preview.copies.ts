import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import type { SandboxConfig } from '@aish/contracts/config/sandbox.config';
import type { CopyPreview, PreviewRequest } from '@aish/contracts/files';
import { AishError } from '@aish/contracts/problems';
import type { HelperEngine, HelperTask, HelperVolume } from '../engine/helper.engine.js';
import type { HelperEnd } from '../engine/helper.js';
import { pinned } from '../workspaces/session.js';
import type { WorkspaceStore } from '../workspaces/workspace.store.js';
import { candidates, difference, parseListing } from './difference.js';
import { shellScript } from '../engine/script.js';

const SCRIPT = shellScript('preview.sh');
const MIB = 2 ** 20;
const ENTRIES_MAX = 20_000;
const LISTING_MAX_BYTES = 16 * MIB;
const STEP_TIMEOUT_MS = 20_000;
const OUTPUT_MAX_BYTES = 8_192;
const PREVIEW_LABEL = 'dev.aish.preview';

/** The result of a preview on a copy. It cannot be kept. */
export type OnCopy = Omit<CopyPreview, 'keeps' | 'rerunReason' | 'id'>;

/** This starts a command in the folder where the last one ended, with both streams combined. */
const RUN = 'exec 2>&1 </dev/null; cd -- "$1" 2>/dev/null; exec bash -c "$2"';

/** Previews commands on copies of their workspaces, for previews whose changes cannot be kept. */
export class PreviewCopies {
  /** The copies that are in use. */
  private readonly own = new Set<string>();

  constructor(
    private readonly helpers: HelperEngine,
    private readonly store: WorkspaceStore,
    private readonly config: SandboxConfig,
  ) {}

  /**
   * Runs a command without network on a copy of the workspace, and reports its changes.
   * @throws AishError `file_not_found` (no workspace), `preview_too_large`
   */
  async preview(workspaceId: string, request: PreviewRequest, signal: AbortSignal): Promise<OnCopy> {
    await this.needWorkspace(workspaceId);
    const id = randomUUID();
    const name = `aish-prev-${this.config.SANDBOX_INSTANCE}-${id}`;
    this.own.add(id);
    try {
      return await this.tryOut(workspaceId, { volume: name, labels: { [PREVIEW_LABEL]: id } }, request, signal);
    } finally {
      await this.helpers.removeVolume(name);
      this.own.delete(id);
    }
  }

  /** @throws AishError `file_not_found` */
  needWorkspace(workspaceId: string): Promise<void> {
    return this.helpers.needWorkspace(workspaceId);
  }

  /** Removes copies that a crash left behind. */
  async sweep(): Promise<void> {
    for (const { name, labels } of await this.helpers.volumes(PREVIEW_LABEL)) {
      if (!this.own.has(labels[PREVIEW_LABEL] ?? '')) await this.helpers.removeVolume(name);
    }
  }

  private async tryOut(
    workspaceId: string,
    copy: Pick<HelperVolume, 'volume' | 'labels'>,
    { command, timeoutMs }: PreviewRequest,
    signal: AbortSignal,
  ): Promise<OnCopy> {
    const source = this.helpers.workspace(workspaceId, true, '/source');
    const writable: HelperVolume = { ...copy, target: '/workspace', readOnly: false };
    const readable: HelperVolume = { ...writable, readOnly: true };
    const limits = [String(this.config.PREVIEW_MAX_MB * MIB), String(ENTRIES_MAX)];
    const before = parseListing(await this.step(['copy', ...limits], [source, writable], signal));
    const ran = await this.run(workspaceId, command, writable, timeoutMs, signal);
    const after = parseListing(await this.step(['list', String(ENTRIES_MAX + 1)], [readable], signal));
    if (after.size > ENTRIES_MAX) throw tooLarge(`the command left more than ${ENTRIES_MAX} files`);
    const names = Buffer.from(
      candidates(before, after)
        .map((each) => `${each}\0`)
        .join(''),
    );
    const same =
      names.length === 0
        ? []
        : (await this.step(['same', String(names.length)], [source, readable], signal, names)).toString().split('\0');
    return { ...difference(before, after, new Set(same)), ...ran };
  }

  private async step(
    args: readonly string[],
    volumes: readonly HelperVolume[],
    signal: AbortSignal,
    input?: Buffer,
  ): Promise<Buffer> {
    const task: HelperTask = {
      command: ['bash', '-c', SCRIPT, 'aish', ...args],
      volumes,
      timeoutMs: STEP_TIMEOUT_MS,
      readsAll: true,
      ...(input === undefined ? {} : { input: Readable.from([input], { objectMode: false }) }),
    };
    const { stdout, ...end } = await this.helpers.run(task, signal, LISTING_MAX_BYTES);
    refuse(end, this.config.PREVIEW_MAX_MB);
    return stdout;
  }

  private async run(
    workspaceId: string,
    command: string,
    copy: HelperVolume,
    timeoutMs: number,
    signal: AbortSignal,
  ): Promise<Pick<CopyPreview, 'exitCode' | 'timedOut' | 'output' | 'isOutputCut' | 'durationMs'>> {
    const { folder, variables } = pinned(this.store.session(workspaceId));
    const task = { command: ['bash', '-c', RUN, 'aish', folder, command], volumes: [copy], env: variables, timeoutMs };
    const helper = await this.helpers.open(task, signal);
    const startedAt = performance.now();
    try {
      let output = Buffer.alloc(0);
      let isOutputCut = false;
      for await (const bytes of helper.output) {
        const room = OUTPUT_MAX_BYTES - output.length;
        if (bytes.length > room) isOutputCut = true;
        if (room > 0) output = Buffer.concat([output, bytes.subarray(0, room)]);
      }
      const durationMs = performance.now() - startedAt;
      const { exitCode } = await helper.end();
      signal.throwIfAborted();
      return { exitCode, timedOut: exitCode === null, output: output.toString(), isOutputCut, durationMs };
    } finally {
      await helper.close();
    }
  }
}

function refuse({ exitCode, stderr }: HelperEnd, maxMb: number): void {
  if (exitCode === 43) throw tooLarge(`${stderr}; at most ${maxMb} MiB (PREVIEW_MAX_MB) and ${ENTRIES_MAX} files`);
  if (exitCode === null) throw tooLarge('copying and comparing takes too long');
  // `same` exits with the code of its last comparison.
  if (exitCode !== 0 && exitCode !== 1)
    throw new AishError('internal', `A helper container exited with code ${exitCode}: ${stderr}`);
  if (stderr !== '') throw new AishError('internal', `The workspace could not be copied: ${stderr.split('\n')[0]}`);
}

function tooLarge(why: string): AishError {
  return new AishError('preview_too_large', `The workspace is too large for a preview: ${why}`);
}
