/** The exit codes of the command. Scripts rely on them, so they do not change. */
export const EXIT = {
  ok: 0,
  /** The server answered with an error. It is on stderr as `code: detail`. */
  refused: 1,
  usage: 2,
  unreachable: 3,
  unauthorised: 4,
  /** `--watch`: the goal ended, but is not done. */
  notDone: 5,
  /** `--watch`: the goal waits for a verdict, and there is nobody to ask. */
  halted: 6,
  interrupted: 130,
} as const;

export const NEEDS_TERMINAL = 'The terminal UI needs a terminal. For scripts, use the commands: aish --help';

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

export const EXIT_HELP = `
Exit codes:
  0  done
  1  the server answered with an error (on stderr: code: detail)
  2  wrong usage
  3  the server cannot be reached
  4  not authorized: the token is missing, wrong, or does not allow this
  5  watching: the goal ended without being done
  6  watching: the goal is halted and stdin is not a terminal
  130  interrupted by Ctrl-C (the goal continues)`;
