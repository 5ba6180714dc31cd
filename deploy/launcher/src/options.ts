import { Command, InvalidArgumentError, Option } from 'commander';

export interface LaunchOptions {
  /** Whether the terminal UI opens here once aish answers. */
  readonly tui: boolean;
  readonly yes: boolean;
  /** False with `--no-install`. */
  readonly install: boolean;
  readonly data?: string;
  readonly port: number;
  readonly demo: boolean;
  readonly verbose: boolean;
  /** Whether another launcher started this one to see whether this version works. */
  readonly trial: boolean;
  /** Whether this is the launcher in the image of aish. */
  readonly container: boolean;
  /** Whether it only runs statements for `aish upgrade`, and then ends. */
  readonly sql: boolean;
}

const DEFAULT_PORT = 7717;

/** Parses the command line. Ends the process after `--help` and errors, as commander does. */
export function parseOptions(argv: readonly string[]): LaunchOptions {
  return new Command('npm start --')
    .description('Starts aish on this machine: its database, its services, and a demo model if no model responds.')
    .option('--tui', 'open the terminal UI here; leaving it stops aish', false)
    .option('--yes', 'install Docker without asking if no engine responds (root on Debian or Ubuntu)', false)
    .option('--no-install', 'never install anything')
    .option('--data <folder>', 'folder for your data (default: AISH_DATA, or ~/.local/share/aish)')
    .option('--port <number>', 'port of the API on 127.0.0.1; 0 takes a free one', parsePort, DEFAULT_PORT)
    .option('--demo', 'use the demo model even if a model responds', false)
    .option('--verbose', 'show the logs of all services here', false)
    .addOption(new Option('--trial').default(false).hideHelp())
    .addOption(new Option('--container').default(false).hideHelp())
    .addOption(new Option('--sql').default(false).hideHelp())
    .allowExcessArguments(false)
    .parse([...argv])
    .opts<LaunchOptions>();
}

function parsePort(text: string): number {
  const port = Number(text);
  if (!/^\d+$/.test(text) || port > 65_535) throw new InvalidArgumentError('a port is a number from 0 to 65535');
  return port;
}
