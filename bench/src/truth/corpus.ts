import { CORPUS_SETS, labelledCommands } from '@aish/safety/testing/corpus';
import type { Arena } from './arena.js';
import type { Candidate } from './candidates.js';

/** Returns the labelled commands whose program is in the image, prepared for an arena. The labels are not used. */
export async function corpusCommands(arena: Arena): Promise<readonly Candidate[]> {
  const { output } = await arena.run({ cmd: 'compgen -c', keepChars: 100_000 });
  const programs = new Set(output.split('\n'));
  const found = new Map<string, Candidate>();
  for (const set of CORPUS_SETS) {
    for (const item of labelledCommands(set)) {
      const cmd = item.cmd.replaceAll('https://', 'http://').replaceAll(/\bsudo (?!-)/g, '');
      const [name = ''] = cmd
        .trim()
        .replace(/^(\w+=\S* +)*[({! ]*/, '')
        .split(/[\s;|&<>]/);
      if (programs.has(name))
        found.set(cmd, { cmd, source: 'corpus', class: `corpus ${item.class}`, form: item.class });
    }
  }
  return [...found.values()];
}
