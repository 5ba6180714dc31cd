import { join } from 'node:path';
import { GoalList, type GoalDetail } from '@aish/contracts/goals';
import { startScriptedModel, type Script, type ScriptedModel } from '@aish/demo-model';
import type { ApiClient } from './api.client.js';
import { closeAll } from './close-all.js';
import { ROOT } from './service.process.js';
import { Stack } from './stack.js';
import { Terminal } from './terminal.js';

/** The terminal UI as a person starts it. */
export const TUI_COMMAND = `${process.execPath} ${ROOT}clients/cli/bin/aish.mjs`;

/** The smallest terminal that all of it is made for, and one with room to spare. */
export const TERMINAL_SIZES = [
  { width: 80, height: 24 },
  { width: 200, height: 50 },
] as const;

/** A key is no answer for a moment after a dialog pops up, and for a second after typing. */
export const dialogListens = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 1_100));

export interface TuiStackOptions {
  readonly script: Script;
  readonly size: { readonly width: number; readonly height: number };
  /** How fast the model talks; default 2 000. */
  readonly tokensPerSecond?: number;
  /** How the model is called. */
  readonly model?: string;
  /** More settings for all services. */
  readonly env?: Readonly<Record<string, string>>;
  /** See `StackOptions`. */
  readonly ownProcesses?: boolean;
}

/** A stack with a scripted model, and the terminal UI in front of it. Made for one suite; `stop` leaves nothing behind. */
export class TuiStack {
  private terminal: Terminal | null = null;
  /** Each has a folder of its own for what it keeps: the one before may still be writing where it was. */
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

  /** The terminal UI, connected and at its prompt, as if it had never been there before. */
  async open(env: Readonly<Record<string, string>> = {}): Promise<Terminal> {
    this.openings += 1;
    return this.reopen(env);
  }

  /** The terminal UI again, after the one before has gone away. */
  async reopen(env: Readonly<Record<string, string>> = {}): Promise<Terminal> {
    const ui = await this.begin(TUI_COMMAND, { ...this.signedIn, ...env });
    await ui.shows(/\bonline · (?!model \?)/);
    return ui;
  }

  /** `aish <line>` in a shell of its own; the screen says `ended with` and its exit code. With `env` nothing says which server. */
  shell(line: string, env: Readonly<Record<string, string>> = this.signedIn): Promise<Terminal> {
    return this.begin(`${TUI_COMMAND} ${line}`, env);
  }

  private get signedIn(): Readonly<Record<string, string>> {
    return { AISH_URL: this.client.url, AISH_TOKEN_FILE: join(this.stack.dir, 'token') };
  }

  /** What was open before is closed. */
  private async begin(command: string, env: Readonly<Record<string, string>>): Promise<Terminal> {
    await this.close();
    const XDG_STATE_HOME = join(this.stack.dir, `state-${this.openings}`);
    this.terminal = await Terminal.open(command, { ...this.size, env: { XDG_STATE_HOME, ...env } });
    return this.terminal;
  }

  /** The terminal UI with `text` sent from its prompt. */
  async send(text: string): Promise<Terminal> {
    const ui = await this.open();
    await ui.submit(text);
    return ui;
  }

  async newestGoal(): Promise<GoalDetail> {
    const { items } = await this.client.json(GoalList, 'GET', '/v1/goals?limit=1');
    return this.client.goal(String(items[0]?.id));
  }

  /** Ends the terminal UI, if it is open. */
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
