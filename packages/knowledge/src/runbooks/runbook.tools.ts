import { ProposeRunbook, RunbookName, type UsedRunbook } from '@aish/contracts/runbooks';
import { AishError, isAishError } from '@aish/contracts/problems';
import type { ToolCall, ToolContext, ToolProvider, ToolResult, ToolSpec } from '@aish/contracts/tools';
import type { Database } from '@aish/database/client';
import { addUsedRunbook, usedRunbooks } from '@aish/database/runbooks.repository';
import { z } from 'zod';
import { SKILL_FILE, type SkillFiles } from './read-skill.js';
import { RunbookProposals } from './runbook-proposals.js';
import type { Runbooks, StoredRunbook } from './runbooks.js';

/** Puts files into the workspace of a session, read-only. */
export type PutFiles = (sessionId: string, folder: string, files: SkillFiles, signal: AbortSignal) => Promise<void>;

const READ: ToolSpec = {
  name: 'runbook_read',
  label: 'runbook.read',
  description:
    'Procedures that people wrote for recurring work on their machines. Without a name: lists names and descriptions; look there before work that may have come up before. With a name: reads that runbook and puts its scripts and references into the workspace, read-only.',
  inputSchema: {
    type: 'object',
    properties: {
      name: { type: 'string', description: 'a name from the list' },
      source: { type: 'boolean', description: 'its SKILL.md as it is, with its fields' },
    },
    additionalProperties: false,
  },
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  trusted: true,
};

const PROPOSE: ToolSpec = {
  name: 'runbook_propose',
  label: 'runbook.propose',
  description:
    'Propose what a runbook should say instead, or a new runbook: when work has shown that a step is wrong, missing or worth keeping. Nothing changes until a person has accepted it.',
  inputSchema: {
    type: 'object',
    properties: {
      name: { type: 'string', description: 'of the runbook; a new name begins one' },
      text: {
        type: 'string',
        description:
          'the whole SKILL.md: ---, fields (name, description, metadata, allowed-tools), ---, then the steps. runbook_read with "source" shows the one that there is',
      },
      why: { type: 'string', description: 'what it is good for, for the person who decides' },
    },
    required: ['name', 'text', 'why'],
    additionalProperties: false,
  },
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  trusted: true,
};

/**
 * Runbook tools that need no question: one only reads a person's text, the other changes nothing until a person reviews
 * it.
 */
export const UNASKED_RUNBOOK_TOOLS: readonly string[] = [READ.label, PROPOSE.label];

const Arguments = z.strictObject({ name: RunbookName.optional(), source: z.boolean().default(false) });
const LIST_MAX_CHARS = 16_000;
const SOURCE_MAX_CHARS = 40_000;

/**
 * The runbooks for models in chats and goals. The tools list them by name and description, return the complete text on
 * demand, and accept proposals for changes.
 */
export class RunbookTools implements ToolProvider {
  readonly name = 'runbook';
  private readonly proposals: RunbookProposals;

  constructor(
    private readonly db: Database,
    private readonly runbooks: Runbooks,
    private readonly putFiles: PutFiles,
  ) {
    this.proposals = new RunbookProposals(db, runbooks);
  }

  tools(): Promise<readonly ToolSpec[]> {
    return Promise.resolve([READ, PROPOSE]);
  }

  async call(
    { name: tool, arguments: text }: ToolCall,
    context: ToolContext,
    signal: AbortSignal,
  ): Promise<ToolResult> {
    try {
      const answer = await (tool === PROPOSE.name
        ? this.propose(
            argumentsOf(ProposeRunbook, text, 'Give {"name": "…", "text": "…", "why": "…"}'),
            context,
            signal,
          )
        : this.answer(argumentsOf(Arguments, text, 'Give {"name": "…"}, or {} for the list'), context, signal));
      return { text: answer, isError: false, omittedBytes: 0 };
    } catch (error) {
      if (!isAishError(error, 'not_found', 'invalid_body', 'runbook_faulty', 'locked')) throw error;
      return { text: `${error.code}: ${error.message}`, isError: true, omittedBytes: 0 };
    }
  }

  private answer({ name, source }: z.infer<typeof Arguments>, context: ToolContext, signal: AbortSignal) {
    if (name === undefined) return this.list(signal);
    return source ? this.source(name, context, signal) : this.read(name, context, signal);
  }

  private async propose(input: ProposeRunbook, { sessionId }: ToolContext, signal: AbortSignal): Promise<string> {
    const { number, tools, commands } = await this.proposals.propose(input, sessionId, signal);
    const asks = [tools, commands].some(({ added, removed }) => added.length + removed.length > 0);
    const more = asks ? ' The person is shown that it asks to use other tools or commands without a question.' : '';
    return `Proposed as p${number}. The runbook stays as it is until a person accepts that.${more}`;
  }

  /** Returns the current text, because a proposal is compared with it. */
  private async source(name: string, { goalId }: ToolContext, signal: AbortSignal): Promise<string> {
    const found = await this.runbooks.find(name, null, signal);
    if (goalId !== null) await this.note(goalId, found);
    return found.files.get(SKILL_FILE)?.toString('utf8').slice(0, SOURCE_MAX_CHARS) ?? '';
  }

  private async list(signal: AbortSignal): Promise<string> {
    const sound = (await this.runbooks.list(signal)).filter(({ faults }) => faults.length === 0);
    if (sound.length === 0) return 'There are no runbooks.';
    return sound
      .map(({ name, description }) => `- ${name}: ${description.replaceAll(/\s+/g, ' ')}`)
      .join('\n')
      .slice(0, LIST_MAX_CHARS);
  }

  private async read(name: string, { sessionId, goalId }: ToolContext, signal: AbortSignal): Promise<string> {
    const found = await this.find(name, goalId, signal);
    const { skill, files, commit } = found;
    if (skill.faults.length > 0) throw new AishError('runbook_faulty', `${name}: ${skill.faults.join('; ')}`);
    const beside = new Map([...files].filter(([path]) => path !== SKILL_FILE));
    const folder = `.runbooks/${name}`;
    if (beside.size > 0) await this.putFiles(sessionId, folder, beside, signal);
    if (goalId !== null) await this.note(goalId, found);
    const listed = [...beside.keys()].map((path) => `- /workspace/${folder}/${path}`);
    const parameters = skill.parameters.map((each) => `${each.name}${each.default === null ? '' : `=${each.default}`}`);
    return [
      `Runbook ${name}, commit ${commit.slice(0, 12)}.`,
      ...(parameters.length === 0 ? [] : [`Parameters: ${parameters.join(', ')}`]),
      ...(listed.length === 0 ? [] : ['Its files, read-only:', ...listed]),
      '',
      skill.text,
    ].join('\n');
  }

  /** Finds a runbook. A goal always reads the version that it read first. */
  private async find(name: string, goalId: string | null, signal: AbortSignal): Promise<StoredRunbook> {
    const used = goalId === null ? [] : await usedRunbooks(this.db.statements, goalId);
    const commit = used.find((each) => each.name === name)?.commit ?? null;
    return this.runbooks.find(name, commit, signal);
  }

  private note(goalId: string, { skill, commit }: StoredRunbook): Promise<void> {
    const used: UsedRunbook = { name: skill.name, commit, digest: skill.digest, chosen: false };
    return addUsedRunbook(this.db.statements, goalId, used);
  }
}

/** @throws AishError `invalid_body` with the hint. */
function argumentsOf<T>(schema: z.ZodType<T>, text: string, hint: string): T {
  let value: unknown;
  try {
    value = JSON.parse(text.trim() === '' ? '{}' : text);
  } catch {
    throw new AishError('invalid_body', 'The arguments are not JSON');
  }
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new AishError('invalid_body', `${issue?.path.join('.') ?? ''}: ${issue?.message ?? ''}. ${hint}`);
}
