import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { promisify } from 'node:util';
import { eventually } from './eventually.js';

const run = promisify(execFile);
const ESCAPE_MS = 200;

/**
 * Runs a program in a real terminal, which is a separate tmux server. The test sends keys and reads the screen. At the
 * end of the program the screen shows `ended with` and the exit code.
 */
export class Terminal {
  private readonly socket = `aish-test-${randomUUID().slice(0, 8)}`;

  static async open(
    command: string,
    { width = 80, height = 24, env = {} }: { width?: number; height?: number; env?: Record<string, string> } = {},
  ): Promise<Terminal> {
    const terminal = new Terminal();
    const settings = Object.entries(env).flatMap(([name, value]) => ['-e', `${name}=${value}`]);
    await terminal.tmux(
      '-f',
      '/dev/null',
      'new-session',
      '-d',
      '-s',
      'main',
      '-x',
      String(width),
      '-y',
      String(height),
      ...settings,
      `${command}; printf 'ended with %s\n' "$?"; sleep 300`,
    );
    return terminal;
  }

  /** Presses keys by their tmux names (`Enter`, `C-c`, `PageUp`), one argument for each. */
  async press(...keys: readonly string[]): Promise<void> {
    await this.tmux('send-keys', '-t', 'main', ...keys);
    // If a program reads both in one piece, Escape and the next key count as Alt and that key. People pause between
    // them.
    if (keys.at(-1) === 'Escape') await new Promise((resolve) => setTimeout(resolve, ESCAPE_MS));
  }

  async type(text: string): Promise<void> {
    await this.tmux('send-keys', '-t', 'main', '-l', '--', text);
  }

  /** Types as people do, key by key. */
  async typeByHand(text: string): Promise<void> {
    for (const key of text) {
      await this.type(key);
      await new Promise((resolve) => setTimeout(resolve, 60));
    }
  }

  /** Types a line and sends it. */
  async submit(line: string): Promise<void> {
    await this.type(line);
    await this.press('Enter');
  }

  async screen(): Promise<string> {
    return (await this.tmux('capture-pane', '-p', '-t', 'main')).replaceAll(/ +$/gm, '');
  }

  /** Returns all lines that the terminal has kept, and the screen. */
  async scrollback(): Promise<string> {
    return (await this.tmux('capture-pane', '-S', '-', '-p', '-t', 'main')).replaceAll(/ +$/gm, '');
  }

  /** Returns the screen including escape sequences. */
  async screenWithColours(): Promise<string> {
    return this.tmux('capture-pane', '-e', '-p', '-t', 'main');
  }

  /** Pastes a text. The program sees the beginning and the end of the paste if it has asked for them. */
  async paste(text: string): Promise<void> {
    await this.tmux('set-buffer', '--', text);
    await this.tmux('paste-buffer', '-p', '-r', '-t', 'main');
  }

  /** Writes all later output to this file, including escape sequences. */
  async record(file: string): Promise<void> {
    await this.tmux('pipe-pane', '-t', 'main', `cat >> '${file}'`);
  }

  /** Returns tmux's value of this name (`cursor_x`, `alternate_on`, `mouse_any_flag`). */
  async fact(name: string): Promise<string> {
    return (await this.tmux('display-message', '-p', '-t', 'main', `#{${name}}`)).trim();
  }

  /** Sends a signal to the program in the terminal. */
  async signal(name: NodeJS.Signals): Promise<void> {
    const shell = (await this.tmux('display-message', '-p', '-t', 'main', '#{pane_pid}')).trim();
    const { stdout } = await run('pgrep', ['-P', shell]);
    for (const pid of stdout.trim().split('\n')) process.kill(Number(pid), name);
  }

  /** Waits until the screen shows `what`, and returns it. */
  async shows(what: string | RegExp): Promise<string> {
    let screen = '';
    try {
      return await eventually(`the screen shows ${what}`, async () => {
        screen = await this.screen();
        return (typeof what === 'string' ? screen.includes(what) : what.test(screen)) ? screen : null;
      });
    } catch (error) {
      throw new Error(`the screen does not show ${what}:\n${screen}`, { cause: error });
    }
  }

  async resize(width: number, height: number): Promise<void> {
    await this.tmux('resize-window', '-t', 'main', '-x', String(width), '-y', String(height));
  }

  async close(): Promise<void> {
    await this.tmux('kill-server').catch((error: unknown) => {
      // The tmux server may have ended together with its last program.
      if (!/no server running|lost server|error connecting/.test(String(error))) throw error;
    });
  }

  private async tmux(...args: readonly string[]): Promise<string> {
    const { stdout } = await run('tmux', ['-L', this.socket, ...args], { timeout: 20_000 });
    return stdout;
  }
}
