import type { Holder } from '@aish/client/lock';

export interface ReadyFacts {
  readonly url: string;
  readonly tokenFile: string;
  /** The command that prints the token, if this runs in a container. */
  readonly tokenCommand: string | null;
  readonly logsDir: string;
  readonly modelLine: string;
  /** A line about parts that are missing before commands can run, or null if nothing is missing. */
  readonly sandboxLine: string | null;
  /** Set if clients would not find this data folder by themselves. */
  readonly dataFolder: string | null;
  /** The seconds since the person pressed Enter, including the build. */
  readonly seconds: number;
}

/** Returns the text that is printed when aish answers. It ends with the three lines that a person needs next. */
export function readyBlock(facts: ReadyFacts): string {
  const aish = facts.dataFolder === null ? 'npx aish' : `AISH_DATA=${quote(facts.dataFolder)} npx aish`;
  const stop = facts.tokenCommand === null ? 'Ctrl-C' : 'docker stop';
  const token = `in ${facts.tokenFile}   (or, in another terminal in this folder: ${aish})`;
  return [
    '',
    `aish is ready after ${facts.seconds.toFixed(1)} s. ${stop} stops it. Its logs are in ${facts.logsDir}`,
    ...(facts.sandboxLine === null ? [] : [`Commands: ${facts.sandboxLine}`]),
    '',
    `  Open this page   ${facts.url}/app/`,
    `  Sign in with     the token ${facts.tokenCommand === null ? token : `that this prints: ${facts.tokenCommand}`}`,
    `  Model            ${facts.modelLine}`,
  ].join('\n');
}

/** Returns the message of a second start on the same data folder. */
export function busyBlock(root: string, holder: Holder | null): string {
  if (holder === null)
    return `aish is already running on ${root}. Stop it first, or use another data folder: --data FOLDER`;
  const where = holder.url === null ? 'it is still starting' : `at ${holder.url}`;
  return [
    `aish is already running on ${root}: process ${holder.pid}, since ${holder.startedAt}, ${where}.`,
    `Nothing was changed. Stop it with Ctrl-C in its terminal or \`kill ${holder.pid}\`, or use another data folder: --data FOLDER`,
  ].join('\n');
}

export function portTaken(port: number): string {
  return `Port ${port} on 127.0.0.1 is taken by another program. Choose one with \`npm start -- --port ${port + 1}\`; --port 0 takes a free one.`;
}

function quote(text: string): string {
  return /^[\w./@+-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
