import { opensTui, showFirstScreen } from '@aish/tui/first-screen';

// What is imported here is on the way to the first screen, so it is little; the rest comes while it can be read.
const args = process.argv.slice(2);
const takeBack = opensTui(args) ? showFirstScreen(process.stdin, process.stdout, process.env) : null;
// No await at the top level: the rest loads while the first screen can be read.
void import('./start.js').then(({ start }) => start(args, takeBack)).then((code) => (process.exitCode = code));
