import { AishError } from '@aish/contracts/problems';
import { RunbookName } from '@aish/contracts/runbooks';
import type { Runbooks } from '@aish/knowledge';
import type { OfferedResources } from '@aish/mcp';
import { callMemoryTool, type MemoryParts } from '@aish/memory';
import { z } from 'zod';
import type { GoalsService } from '../goals/goals.service.js';
import { shownDetail } from './shown-goal.js';

const TIMEOUT_MS = 60_000;
const TITLE_MAX_CHARS = 80;
const GoalNumber = z.string().regex(/^[1-9][0-9]{0,8}$/);

/** Offers resources to MCP clients, with the same scopes as the tools that show them. */
export function offeredResources(
  goals: GoalsService,
  runbooks: Runbooks | null,
  memory: MemoryParts,
): readonly OfferedResources[] {
  return [goalResources(goals), ...(runbooks === null ? [] : [runbookResources(runbooks)]), recallResources(memory)];
}

function goalResources(goals: GoalsService): OfferedResources {
  return {
    kind: 'goals',
    parameter: 'number',
    title: 'Goal',
    description: 'A goal: its state, its summary, its last steps, and what it waits for',
    mimeType: 'application/json',
    needs: 'observe',
    list: async (after, limit) => {
      const before = after === null ? undefined : Number(named(GoalNumber, after));
      const listed = await goals.list({ archived: false, before, limit });
      return listed.map(({ number, text, state }) => ({
        name: String(number),
        title: `Goal ${number}: ${text.slice(0, TITLE_MAX_CHARS)}`,
        description: state,
      }));
    },
    read: async (name) => JSON.stringify(shownDetail(await goals.show(named(GoalNumber, name))), null, 2),
  };
}

function runbookResources(runbooks: Runbooks): OfferedResources {
  return {
    kind: 'runbooks',
    parameter: 'name',
    title: 'Runbook',
    description: 'A runbook of the knowledge base, its text',
    mimeType: 'text/markdown',
    needs: 'observe',
    list: async (after, limit) => {
      const all = await runbooks.list(AbortSignal.timeout(TIMEOUT_MS));
      return all
        .filter(({ name }) => after === null || name > after)
        .toSorted((a, b) => (a.name < b.name ? -1 : 1))
        .slice(0, limit)
        .map(({ name, description }) => ({ name, title: name, description }));
    },
    read: async (name) => (await runbooks.show(named(RunbookName, name), AbortSignal.timeout(TIMEOUT_MS))).text,
  };
}

function recallResources(parts: MemoryParts): OfferedResources {
  return {
    kind: 'recall',
    parameter: 'query',
    title: 'Recall',
    description: 'What memory, documents, knowledge, and past chats and goals say about a question, best first',
    mimeType: 'text/plain',
    needs: ['observe', 'app'],
    read: (query, { memory, name: token }) => {
      if (memory === null) throw new AishError('forbidden', 'This token cannot use a memory');
      const origin = { sessionId: null, token, signal: AbortSignal.timeout(TIMEOUT_MS) };
      return callMemoryTool(parts, memory, 'memory_recall', { query }, origin);
    },
  };
}

/** @throws AishError `not_found` for an invalid name */
function named(names: z.ZodType<string>, name: string): string {
  const parsed = names.safeParse(name);
  if (!parsed.success) throw new AishError('not_found', `There is no ${name}`);
  return parsed.data;
}
