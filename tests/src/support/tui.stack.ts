import { join } from 'node:path';
import { GoalList, type GoalDetail } from '@aish/contracts/goals';
import { startScriptedModel, type Script, type ScriptedModel } from '@aish/demo-model';
import type { ApiClient } from './api.client.js';
import { closeAll } from './close-all.js';
import { ROOT } from './service.process.js';
import { Stack } from './stack.js';
import { Terminal } from './terminal.js';

/** The command of the terminal UI as a person starts it. */
export const TUI_COMMAND = `${process.execPath} ${ROOT}clients/cli/bin/aish.mjs`;

/** The smallest supported terminal, in which the least of a flow fits on the screen. */
export const SMALL = { width: 80, height: 24 } as const;
/** Layouts are tested in a large terminal, too. */
export const TERMINAL_SIZES = [SMALL, { width: 200, height: 50 }] as const;

/**
 * Waits until a dialog listens: a key is ignored for a moment after a dialog appears, and for a second after typing.
 */
export const dialogListens = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 1_100));

export interface TuiStackOptions {
  readonly script: Script;
  readonly size: { readonly width: number; readonly height: number };
  /** The speed of the model. The default is 2,000. */
  readonly tokensPerSecond?: number;
  /** The name of the model. */
  readonly model?: string;
  /** More settings for all services. */
  readonly env?: Readonly<Record<string, string>>;
  /** See `StackOptions`. */
  readonly ownProcesses?: boolean;
}

/** Runs a stack with a scripted model, and the terminal UI, for one suite. `stop` removes everything. */
export class TuiStack {
  private terminal: Terminal | null = null;
  /** Each opening has its own folder, because the previous terminal UI may still be writing. */
  private openings = 0;

  private constructor(
    readonly stack: Stack,
    private readonly model: ScriptedModel,
    private readonly size: TuiStackOptions['size'],
  ) {}

  static async start({
    script,
    size,
    tokensPerSecond = 2_000,
    env = {},
    ...named
  }: TuiStackOptions): Promise<TuiStack> {
    const model = await startScriptedModel({ script, tokensPerSecond, ...named });
    try {
      return new TuiStack(await Stack.start({ modelUrl: model.url, env, ...named }), model, size);
    } catch (error) {
      await model.close();
      throw error;
    }
  }

  get client(): ApiClient {
    return this.stack.client;
  }

  /** Opens the terminal UI at its prompt, without saved state. @param options options of `aish` */
  async open(env: Readonly<Record<string, string>> = {}, options = ''): Promise<Terminal> {
    this.openings += 1;
    return this.reopen(env, options);
  }

  /** Reopens the terminal UI after the previous one has ended. */
  async reopen(env: Readonly<Record<string, string>> = {}, options = ''): Promise<Terminal> {
    const ui = await this.begin(`${TUI_COMMAND} ${options}`, { ...this.signedIn, ...env });
    await ui.shows(/\bonline · (?!model \?)/);
    return ui;
  }

  /**
   * Runs `aish <line>` in a separate shell. The screen shows `ended with` and the exit code. With `env`, no setting
   * names the server.
   */
  shell(line: string, env: Readonly<Record<string, string>> = this.signedIn): Promise<Terminal> {
    return this.begin(`${TUI_COMMAND} ${line}`, env);
  }

  private get signedIn(): Readonly<Record<string, string>> {
    return { AISH_URL: this.client.url, AISH_TOKEN_FILE: join(this.stack.dir, 'token') };
  }

  /** Opens a terminal, and closes an earlier one. */
  private async begin(command: string, env: Readonly<Record<string, string>>): Promise<Terminal> {
    await this.close();
    const XDG_STATE_HOME = join(this.stack.dir, `state-${this.openings}`);
    this.terminal = await Terminal.open(command, { ...this.size, env: { XDG_STATE_HOME, ...env } });
    return this.terminal;
  }

  /** Opens the terminal UI and sends `text` from its prompt. */
  async send(text: string): Promise<Terminal> {
    const ui = await this.open();
    await ui.submit(text);
    return ui;
  }

  async newestGoal(): Promise<GoalDetail> {
    const { items } = await this.client.json(GoalList, 'GET', '/v1/goals?limit=1');
    return this.client.goal(String(items[0]?.id));
  }

  /** Closes the terminal UI if it is open. */
  async close(): Promise<void> {
    await this.terminal?.close();
    this.terminal = null;
  }

  async stop(): Promise<void> {
    await closeAll(
      () => this.close(),
      () => this.stack.stop(),
      () => this.model.close(),
    );
  }
}
