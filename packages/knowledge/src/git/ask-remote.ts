import { isAishError } from '@aish/contracts/problems';
import { git, withoutSecrets, type GitOptions } from './git.js';

/** One exchange with the remote: what it printed, or what git said of the failure, in a line. */
export async function askRemote(
  args: readonly string[],
  options: GitOptions,
): Promise<{ readonly text: string; readonly failure: string | null }> {
  try {
    const answer = await git(args, { ...options, ownGroup: true });
    return { text: answer.stdout.toString('utf8'), failure: answer.code === 0 ? null : lastWords(answer.stderr) };
  } catch (error) {
    if (!isAishError(error, 'knowledge_git')) throw error;
    return { text: '', failure: error.message };
  }
}

function lastWords(stderr: string): string {
  const lines = stderr.split('\n').filter((line) => /^(?:fatal|error|ssh|remote):/i.test(line));
  return withoutSecrets(lines[0] ?? stderr.trim().split('\n').at(-1) ?? 'no reason given')
    .replace(/^(?:fatal|error): /, '')
    .slice(0, 300);
}
