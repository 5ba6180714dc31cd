import { EXIT } from '@aish/client/exit-codes';
import { note } from '@aish/client/io';
import { any, command } from './command.js';

/** Tells users of earlier versions where the jobs are now. */
export const jobs = command({
  name: 'jobs',
  about: 'say where jobs run',
  args: { words: any('words of earlier versions') },
  examples: ['aish jobs'],
  isHidden: true,
  takesAnyOption: true,
  run: ({ io, exit }) => {
    note(io, 'Jobs run from a checkout of aish: npm run jobs');
    exit(EXIT.usage);
  },
});
