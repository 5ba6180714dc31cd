import type { Result } from './conversation.js';
import type { Plan } from './plan.js';

export interface LargeFilesGoal {
  readonly directory: string;
  readonly count: number;
}

const WORDS = ['one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten'] as const;
const COUNT_MAX = 20;
/**
 * Matches a path of only those characters that have no meaning in a shell, because commands contain the path unchanged.
 */
const PATH = /(?<=^|[\s"'`(])\/[\w./+@-]*/;

/** Parses a goal about large files or copies; null if it is about something else. */
export function readLargeFilesGoal(text: string): LargeFilesGoal | null {
  if (!/\b(large|larger|largest|big|bigger|biggest|huge)\b.*\bfiles?\b|\bcop(y|ies)\b/is.test(text)) return null;
  const directory = PATH.exec(text)?.[0].replace(/[.,]+$/, '') ?? '/usr/share';
  return { directory: directory.replace(/(?<=.)\/+$/, ''), count: countIn(text.replace(PATH, ' ')) };
}

function countIn(text: string): number {
  const digits = /\b\d{1,2}\b/.exec(text)?.[0];
  const word = new RegExp(`\\b(${WORDS.join('|')})\\b`, 'i').exec(text)?.[0].toLowerCase();
  const named = digits === undefined ? WORDS.indexOf(word as (typeof WORDS)[number]) + 1 : Number(digits);
  const fallback = /\b(largest|biggest) file\b/i.test(text) ? 1 : 3;
  return named < 1 ? fallback : Math.min(named, COUNT_MAX);
}

/** Makes the plan: find the files, copy them, look at the copies, delete the copies. */
export function largeFilesPlan({ directory, count }: LargeFilesGoal): Plan {
  const find = `find ${directory} -type f -printf '%s %p\\n' | sort -rn | head -${count}`;
  const files = count === 1 ? 'largest file' : `${count} largest files`;
  return {
    intent: `The plan: 1. find the ${files} under ${directory}; 2. copy to ./copies; 3. look at the copies; 4. delete them.`,
    steps: [
      {
        words: `First I look for the ${files}.`,
        command: find,
        check: (result) =>
          filesIn(result).length === 0 ? `there is no file to be found under ${directory}` : undefined,
      },
      {
        words: 'Now I copy what I found into a folder of its own.',
        // The backups are numbered, because two of the files may have the same name.
        command: `mkdir -p copies && ${find} | cut -d' ' -f2- | xargs -r -d '\\n' cp --backup=numbered -t copies --`,
      },
      { words: 'I check that the copies are there.', command: 'ls -l copies' },
      {
        words: 'Last I delete the copies. That is destructive, so aish stops here and asks you.',
        command: 'rm -rf copies',
      },
    ],
    summary: (resultOf, isSkipped) => {
      const found = filesIn(resultOf(find));
      const named = found.length === 0 ? '' : `: ${found.join(', ')}`;
      const fate = isSkipped ? 'the copies stay in ./copies, as you skipped deleting them' : 'the copies are deleted';
      return `Found the ${files} under ${directory}${named}; ${fate}.`;
    },
  };
}

function filesIn(result: Result | undefined): readonly string[] {
  if (result?.kind !== 'ran') return [];
  return result.lines.flatMap((line) => {
    const [, sizeBytes, path] = /^(\d+) (\/.*)$/.exec(line) ?? [];
    return path === undefined ? [] : `${path} (${sizeBytes} bytes)`;
  });
}
