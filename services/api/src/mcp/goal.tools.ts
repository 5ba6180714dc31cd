import { CreateGoal, GoalState } from '@aish/contracts/goals';
import { offer, type OfferedTool } from '@aish/mcp';
import { z } from 'zod';
import type { GoalsService } from '../goals/goals.service.js';
import type { NewGoals } from '../goals/new-goals.js';
import type { SafetyService } from '../safety/safety.service.js';
import { begunTask, personOf } from './goal.tasks.js';
import { shownDetail, shownGoal } from './shown-goal.js';

const CHECK_TIMEOUT_MS = 30_000;
const goal = z
  .string()
  .regex(/^([1-9][0-9]{0,8}|[0-9a-f-]{36})$/)
  .describe('Number or id of the goal');

/**
 * Offers tools to other programs: start, read and end goals. By design no tool gives verdicts. Only people give them.
 */
export function goalTools(given: NewGoals, goals: GoalsService): readonly OfferedTool[] {
  return [
    offer({
      name: 'start_goal',
      title: 'Start a goal',
      description:
        'Gives aish a goal that it works through by itself, with a model and commands in a sandbox, for minutes or hours. ' +
        'It stops before anything destructive until a person decides. Answers at once; look at it with show_goal.',
      needs: 'operate',
      inputSchema: z.object({
        text: CreateGoal.shape.text.describe('What is to be done, in words'),
        stepBudget: CreateGoal.shape.stepBudget.describe('Steps that it may take'),
        space: CreateGoal.shape.space.describe('The space that it works in, whose access it gets'),
      }),
      annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false },
      begin: async (input, caller) => begunTask(await given.create(personOf(caller), CreateGoal.parse(input))),
      run: async (input, caller) => shownGoal(await given.create(personOf(caller), CreateGoal.parse(input))),
    }),
    offer({
      name: 'show_goal',
      title: 'Show a goal',
      description: 'One goal: its state, its last steps, and what it waits for',
      needs: 'observe',
      inputSchema: z.object({ goal }),
      annotations: { readOnlyHint: true },
      run: async (input) => shownDetail(await goals.show(input.goal)),
    }),
    offer({
      name: 'list_goals',
      title: 'List goals',
      description: 'Goals, newest first',
      needs: 'observe',
      inputSchema: z.object({ state: GoalState.optional(), limit: z.int().min(1).max(100).default(20) }),
      annotations: { readOnlyHint: true },
      run: async ({ state, limit }) => ({
        goals: (await goals.list({ state, archived: false, limit })).map(shownGoal),
      }),
    }),
    offer({
      name: 'cancel_goal',
      title: 'Cancel a goal',
      description: 'Ends a goal now; its running command is killed',
      needs: 'operate',
      inputSchema: z.object({ goal }),
      annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true },
      run: async (input, caller) => {
        await goals.checkMayUse(personOf(caller), input.goal);
        return shownGoal(await goals.cancel(caller.name, input.goal));
      },
    }),
  ];
}

export function safetyTools(safety: SafetyService): readonly OfferedTool[] {
  return [
    offer({
      name: 'check_safety',
      title: 'Check a command',
      description: 'What the safety gate says about a shell command, without running it: destructive, safe or unknown',
      needs: 'observe',
      inputSchema: z.object({ command: z.string().min(1).max(32_768) }),
      annotations: { readOnlyHint: true },
      run: ({ command }) => safety.check({ command }, AbortSignal.timeout(CHECK_TIMEOUT_MS)),
    }),
  ];
}
