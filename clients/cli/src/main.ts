import { opensTui, showFirstScreen } from '@aish/tui/first-screen';

// These imports delay the first screen, so there are few of them. The rest loads while a person reads the screen.
const args = process.argv.slice(2);
const takeBack = opensTui(args) ? showFirstScreen(process.stdin, process.stdout, process.env, args) : null;
// There is no top-level await, so that the rest loads while a person reads the first screen.
void import('./start.js').then(({ start }) => start(args, takeBack)).then((code) => (process.exitCode = code));
