/** What the command ends with. Scripts rely on these: they do not change. */
export const EXIT = {
  ok: 0,
  /** The server answered with an error. It is on stderr as `code: detail`. */
  refused: 1,
  usage: 2,
  unreachable: 3,
  unauthorised: 4,
  /** `--watch`: the goal ended, but not as done. */
  notDone: 5,
  /** `--watch`: the goal waits for a verdict, and there is nobody to ask. */
  halted: 6,
  interrupted: 130,
} as const;

export const NEEDS_TERMINAL = 'The terminal UI needs a terminal. For scripts there are commands: aish --help';

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

export const EXIT_HELP = `
Exit codes:
  0  done
  1  the server answered with an error (on stderr: code: detail)
  2  wrong usage
  3  the server cannot be reached
  4  not authorised: no token, a wrong one, or one that may not do this
  5  watching: the goal ended otherwise than done
  6  watching: the goal is halted and stdin is no terminal
  130  interrupted by Ctrl-C (the goal goes on)`;
