import type { ReadStream, WriteStream } from 'node:tty';
import { initialModel } from './initial-model.js';
import { fit } from '@aish/views/text/fit';
import { paletteFor, toAnsi } from '@aish/views/text/palette';
import { layoutOf } from './views/layout.js';
import { promptView } from './views/prompt.view.js';
import { bannerView, statusView } from './views/status.view.js';
import { tabsView } from './views/tabs.view.js';
import { welcome } from './views/welcome.view.js';
import { terminalKind } from './screen/terminal.js';

const ENTER = '\u001b[?1049h\u001b[H\u001b[2J';
const LEAVE = '\u001b[?1049l';

/** The option that leaves the scrollback to the terminal. */
const INLINE = '--inline';

/** Returns whether these arguments open the terminal UI: none, or only options for it and for the server. */
export function opensTui(args: readonly string[]): boolean {
  return args.every((arg, index) => {
    if (arg === INLINE) return true;
    const named = /^--(?:url|token-file|profile)(=.*)?$/s;
    const before = named.exec(args[index - 1] ?? '');
    return named.test(arg) || (before !== null && before[1] === undefined && !arg.startsWith('-'));
  });
}

/**
 * Writes the first screen of the terminal UI before anything else is loaded. During this time, keys wait in the
 * terminal.
 * @returns a function that removes the screen if the terminal UI cannot open, or null without a usable terminal
 */
export function showFirstScreen(
  stdin: ReadStream,
  stdout: WriteStream,
  env: Readonly<Record<string, string | undefined>>,
  args: readonly string[],
): (() => void) | null {
  const { columns: cols, rows } = stdout;
  const terminal = terminalKind(env['TERM']);
  if (!stdin.isTTY || !stdout.isTTY || terminal === null || cols < 20 || rows < 6) return null;
  if (args.includes(INLINE)) {
    stdin.setRawMode(true);
    return () => stdin.setRawMode(false);
  }
  const model = initialModel({ server: env['AISH_URL'] ?? '…', cols, rows, nowMs: 0, keys: [] });
  const { mainRows } = layoutOf(model);
  const main = Array.from({ length: mainRows }, (_, index) => welcome(mainRows)[index] ?? []);
  const { lines, cursor } = promptView(model);
  const screen = [tabsView(model), ...main, bannerView(model), ...lines, statusView(model)];
  const palette = paletteFor(env['NO_COLOR'] === undefined ? 16 : 0);
  const text = screen.map((each) => toAnsi(fit(each, cols), palette)).join('\r\n');
  const at = cursor === null ? '' : `\u001b[${mainRows + 3};${cursor.col + 1}H`;
  stdin.setRawMode(true);
  stdout.write(`${ENTER}${text}${at}`);
  return () => {
    stdin.setRawMode(false);
    stdout.write(LEAVE);
  };
}
