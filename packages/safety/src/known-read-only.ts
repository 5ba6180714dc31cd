import type { Command } from './shell/command.js';
import { classify, read } from './classify.js';
import { argumentsOf, isHarmless, path } from './rules/arguments.js';
import { readsOnly } from './rules/programs.js';
import { isSink } from './rules/paths.js';
import { READ_ONLY_SUBCOMMANDS, READ_ONLY_TOOLS } from './rules/read-only.js';
import { SHELLS } from './shell/shells.js';
import { WRAPPERS } from './shell/wrappers.js';

/**
 * Whether every command that `command` could run is one that is known to read and print only, and nothing is written
 * anywhere. Then nobody else needs to be asked about it. False says no more than that this is not known.
 */
export function knownReadOnly(command: string): boolean {
  const reading = read(command);
  if ('verdict' in reading || reading.gaps.length > 0 || reading.commands.length === 0) return false;
  return reading.commands.every(onlyReads) && classify(command).verdict === 'safe';
}

function onlyReads(c: Command): boolean {
  const writes = c.redirections.some(
    ({ operator, target }) => operator.includes('>') && !isSink(target.text) && !/^(\d+-?|-)$/.test(target.text),
  );
  if (writes || c.snippets.some(({ language }) => language !== 'sed' && language !== 'awk')) return false;
  // Reading without an end takes the machine all the same.
  if (c.facts.unpacedLoop) return false;
  if (c.name === '' || READ_ONLY_TOOLS.has(c.name) || isHarmless(c)) return true;
  // What these run is in the reading too, and is judged there.
  if (WRAPPERS.has(c.name) || SHELLS.has(c.name))
    return (
      c.args.length > 0 &&
      c.input.kind === 'none' &&
      (WRAPPERS.has(c.name) || c.args.some((arg) => /^-\w*c$/.test(arg)))
    );
  if (readsOnly(c, argumentsOf(c))) return true;
  const reads = READ_ONLY_SUBCOMMANDS[c.name];
  return reads !== undefined && (reads.test(c.args.join(' ')) || reads.test(path(c)));
}
