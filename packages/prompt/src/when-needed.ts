import type { NewTurn, ShownTurn } from '@aish/contracts/sessions';
import { noticeTurn } from './turns.js';

/**
 * An explanation for the model. It is given once, when it first matters, because all explanations together would be
 * most of the first request.
 */
interface Explanation {
  readonly text: string;
  /** Whether a command's result requires the explanation. */
  readonly isNeededBy: (result: string) => boolean;
}

const failed = (result: string): boolean => !/^exit code 0$/m.test(result);
const failedWith =
  (pattern: RegExp) =>
  (result: string): boolean =>
    failed(result) && result.split('\n').some((line) => line.startsWith('| ') && pattern.test(line));

const HOW_TO_NEED =
  'Write it on a line of its own, and nothing goes on until the user gives it or says no. Do not work around it.';

const EXPLANATIONS: readonly Explanation[] = [
  {
    text: `[aish] Commands reach only what the user allows. To ask for more, write one of:
NEED: network <host:port>: <why>
NEED: host <name>: <why>
${HOW_TO_NEED}`,
    isNeededBy: failedWith(
      /could not resolve|name resolution|name or service not known|unknown host|getaddrinfo|\bENOTFOUND\b|\bEAI_AGAIN\b|\bECONNREFUSED\b|connection (?:refused|timed out)|network is unreachable|no route to host|failed to connect|unable to connect|CONNECT tunnel failed|permission denied \(publickey|host key verification failed/i,
    ),
  },
  {
    text: `[aish] You have no key for this. To ask for one, write:
NEED: secret <NAME> for <https://host:port>: <why>
${HOW_TO_NEED}`,
    isNeededBy: failedWith(/\b401\b|unauthorized|authentication (?:failed|required)|could not read username/i),
  },
  {
    text: `[aish] That program is not in the image that commands run in. If no other program does, ask for an image that has it:
NEED: image <name>: <why>
${HOW_TO_NEED}`,
    isNeededBy: failedWith(/command not found|: not found$|no module named/i),
  },
  {
    text: `[aish] If a command can prove that the goal is reached, say so before you write "GOAL: complete":
GOAL: check <command>
on a line of its own, with a command that exits 0 only when the goal is reached and that changes nothing.`,
    isNeededBy: (result) => /^\(in the workspace: /m.test(result),
  },
];

/** The explanation of how a goal proves its result. Chats have nothing to prove. */
const OF_GOALS = EXPLANATIONS.length - 1;

/**
 * Returns the turns with aish's explanations, each right after the result that first required it. Earlier messages
 * never change, and explanations stay in place, so that the endpoint's cache stays valid. Pure.
 */
export function explained(turns: readonly ShownTurn[], of: 'goal' | 'chat'): readonly ShownTurn[] {
  const left = new Set(of === 'goal' ? EXPLANATIONS : EXPLANATIONS.slice(0, OF_GOALS));
  return turns.flatMap((turn) => {
    if (turn.role !== 'output') return [turn];
    const needed = [...left].filter(({ isNeededBy }) => isNeededBy(turn.content));
    for (const each of needed) left.delete(each);
    return [turn, ...needed.map(({ text }) => shown(noticeTurn(text), turn.seq))];
  });
}

/** Makes the turn of an explanation. It stays when other turns are dropped, so that it is given only once. */
function shown({ role, content }: NewTurn, seq: number): ShownTurn {
  return { seq, role, content, meta: { isPinned: true } };
}
