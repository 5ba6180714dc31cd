import { DEMO_MODEL } from '@aish/contracts/models';
import { goalOf, isOver, lastCommands, resultOf, type Result } from './conversation.js';
import { largeFilesPlan, readLargeFilesGoal } from './large-files.plan.js';
import { notePlan } from './note.plan.js';
import type { Plan } from './plan.js';
import type { Reply } from './reply.js';
import type { Script } from './scripted.model.js';

/** The tempo is about 150 tokens a second: fast, but slow enough to watch. */
const TEMPO = { delayMs: 7, chunkChars: 4 } as const;

/**
 * The demo model: a script that plays a small plan in place of a language model. It stores nothing between requests,
 * because its position in the plan follows from the messages. So any number of goals may run, and restart, at the same
 * time.
 */
export const demoScript: Script = (messages): Reply => {
  const goal = goalOf(messages);
  const large = readLargeFilesGoal(goal);
  const plan = large === null ? notePlan : largeFilesPlan(large);
  if (isOver(messages)) return say(`The plan is over, and a script has nothing to add to it.\n\nGOAL: complete`);
  const asked = lastCommands(messages);
  const at = plan.steps.findLastIndex((step) => asked.includes(step.command));
  const step = plan.steps[at];
  if (step === undefined) return say(`${introduction(goal)}\n\n${plan.intent}\n\n${stepText(plan, 0)}`);
  const result = resultOf(messages, step.command);
  if (result === undefined) return say(`I do not see what became of that, so I ask again.\n\n${stepText(plan, at)}`);
  const resultsOf = (command: string): Result | undefined => resultOf(messages, command);
  const trouble = troubleWith(step.command, result, plan.steps.length - 1 === at);
  if (trouble !== null) return say(`${trouble.text}\n\nGOAL: blocked ${trouble.reason}`);
  if (at < plan.steps.length - 1) {
    const fault = step.check?.(result);
    if (fault !== undefined) return say(`That leads nowhere.\n\nGOAL: blocked ${fault}`);
    return say(stepText(plan, at + 1));
  }
  const note = result.kind === 'skipped' ? result.note : null;
  const acknowledgement =
    note === null ? '' : `I read what you told me (“${note}”), but a script cannot act on it.\n\n`;
  return say(`${acknowledgement}GOAL: complete\n${plan.summary(resultsOf, result.kind === 'skipped')}`);
};

function say(text: string): Reply {
  return { text: `${text}\n`, ...TEMPO };
}

function introduction(goal: string): string {
  const title = goal.length > 80 ? `${goal.slice(0, 80)}…` : goal;
  return (
    `This is the ${DEMO_MODEL} model: a script that plays a plan, not a language model. ` +
    `It shows how aish works on a goal. The goal: “${title.replaceAll(/\s+/g, ' ')}”`
  );
}

function stepText(plan: Plan, at: number): string {
  const step = plan.steps[at];
  return step === undefined ? '' : `${step.words}\nCMD: ${step.command}`;
}

/** Returns why the plan cannot continue; null if it can. The last step may be skipped, the others are required. */
function troubleWith(command: string, result: Result, isLast: boolean): { text: string; reason: string } | null {
  if (result.kind === 'ran') {
    if (result.isSuccess) return null;
    return { text: 'The command failed.', reason: `"${command}" failed: ${result.ended}` };
  }
  if (result.kind === 'skipped') {
    if (isLast) return null;
    return { text: 'You skipped a step that the rest needs.', reason: `"${command}" was skipped` };
  }
  if (result.kind === 'lost') {
    return { text: 'Nobody knows how the command ended.', reason: `the result of "${command}" was lost` };
  }
  return { text: 'The sandbox refused the command.', reason: `"${command}" was refused: ${result.reason}` };
}
