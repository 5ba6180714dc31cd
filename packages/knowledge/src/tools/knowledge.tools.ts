import {
  KNOWLEDGE_LIMITS,
  KnowledgeConfidence,
  KnowledgeQuery,
  KnowledgeRelation,
  KnowledgeType,
  KnowledgeVisibility,
  RememberByTool,
  type KnowledgeHits,
  type KnowledgeNode,
  type KnowledgeWrite,
  type RememberNode,
} from '@aish/contracts/knowledge';
import type { KnowledgeLintReport } from '@aish/contracts/knowledge-lint';
import { LOW_CONFIDENCE } from '@aish/contracts/recall';
import { AishError, isAishError } from '@aish/contracts/problems';
import type { ToolCall, ToolContext, ToolProvider, ToolResult, ToolSpec } from '@aish/contracts/tools';
import { z } from 'zod';
import type { Caller } from '../query/access.js';

/** The functions of a knowledge base that the tools need. Both the api's service and a plain base provide them. */
export interface KnowledgeToolParts {
  query(query: KnowledgeQuery, caller: Caller, signal: AbortSignal): Promise<KnowledgeHits>;
  read(id: string, caller: Caller, signal: AbortSignal): Promise<KnowledgeNode>;
  remember(input: RememberNode, caller: Caller, signal: AbortSignal): Promise<KnowledgeWrite>;
  lint(caller: Caller, signal: AbortSignal): Promise<KnowledgeLintReport>;
}

const TEXT_MAX_CHARS = 16_000;

const string = (description: string): object => ({ type: 'string', description });
const list = (description: string, items: object = { type: 'string' }): object => ({
  type: 'array',
  items,
  description,
});

function spec(name: string, description: string, properties: object, required: string[], isReading: boolean): ToolSpec {
  return {
    name: `kb_${name}`,
    label: `kb.${name}`,
    description,
    inputSchema: { type: 'object', properties, required, additionalProperties: false },
    annotations: { readOnlyHint: isReading, destructiveHint: false, idempotentHint: isReading, openWorldHint: false },
    trusted: true,
  };
}

/**
 * The tools, sorted by name. They are always the same, because nothing here may change between two requests of a
 * session.
 */
export const KNOWLEDGE_TOOLS: readonly ToolSpec[] = [
  spec('lint', 'Checks the whole knowledge base and lists what is wrong with it.', {}, [], true),
  spec(
    'query',
    'Searches the knowledge base: durable notes of earlier sessions and of the person. Look here before you decide or explain something about this person’s machines, projects or habits. Answers with id, title and summary; read what looks right with kb_read.',
    {
      text: string('a few words, a title or an id'),
      project: string('only this project’s slug'),
      limit: { type: 'integer', minimum: 1, maximum: KNOWLEDGE_LIMITS.queryMax },
    },
    ['text'],
    true,
  ),
  spec(
    'read',
    'Reads one node of the knowledge base whole, with what it links to and what links to it.',
    { id: string('the id that kb_query gave') },
    ['id'],
    true,
  ),
  spec(
    'remember',
    'Writes one durable thing into the knowledge base, or with id changes that node. For what will still be true and useful in other sessions: decisions with reasons, preferences, procedures that worked, what failed and why. Query first; change rather than repeat. Never logs, progress or secrets.',
    {
      id: string('change this node; leave out for a new one'),
      title: string('one thing, as a sentence or a name'),
      summary: string('one paragraph that lets a reader decide whether to read on'),
      body: string('the rest, as org-mode text'),
      types: list('what it is', { type: 'string', enum: KnowledgeType.options }),
      projects: list('slugs: the project folder’s name in lower case; general for all'),
      confidence: {
        type: 'string',
        enum: KnowledgeConfidence.options,
        description: 'stated by the person, observed, verified, or inferred by you',
      },
      visibility: { type: 'string', enum: KnowledgeVisibility.options },
      links: list('to other nodes', {
        type: 'object',
        properties: { relation: { type: 'string', enum: KnowledgeRelation.options }, id: { type: 'string' } },
        required: ['relation', 'id'],
      }),
    },
    [],
    false,
  ),
];

/** The tools for goals if the base is empty. In a chat, a person may still ask for the first node. */
const EMPTY_FOR_GOALS = KNOWLEDGE_TOOLS.map((tool) => ({ ...tool, holdsNothing: true }));
const EMPTY_FOR_CHATS = KNOWLEDGE_TOOLS.map((tool) =>
  tool.name === 'kb_remember' ? tool : { ...tool, holdsNothing: true },
);

const Read = z.strictObject({ id: z.uuid() });
const Query = z.strictObject({ text: z.string(), project: z.string().optional(), limit: z.int().optional() });

/**
 * Labels of tools that need no confirmation: reading does no harm, and a write is linted, committed and can be
 * reverted.
 */
export const UNASKED_KNOWLEDGE_TOOLS: readonly string[] = KNOWLEDGE_TOOLS.map(({ label }) => label);

/** The knowledge base for models: in chats, in goals and at /mcp. */
export class KnowledgeTools implements ToolProvider {
  readonly name = 'kb';

  /**
   * @param callerOf returns the owner of the knowledge, and the projects that they may see.
   * @param isEmpty returns whether there is no node yet.
   */
  constructor(
    private readonly parts: KnowledgeToolParts,
    private readonly callerOf: (context: ToolContext) => Promise<Caller>,
    private readonly isEmpty: () => Promise<boolean> = () => Promise.resolve(false),
  ) {}

  async tools({ goalId }: Pick<ToolContext, 'goalId'>): Promise<readonly ToolSpec[]> {
    if (!(await this.isEmpty())) return KNOWLEDGE_TOOLS;
    return goalId === null ? EMPTY_FOR_CHATS : EMPTY_FOR_GOALS;
  }

  async call(call: ToolCall, context: ToolContext, signal: AbortSignal): Promise<ToolResult> {
    try {
      return answer(await this.ask(call, context, signal), false);
    } catch (error) {
      // The model gets errors that it can fix as an answer. All other errors are thrown.
      if (!isAishError(error) || error.status >= 500 || error.code === 'aborted') throw error;
      const { findings } = error.facts as {
        findings?: readonly { code: string; message: string; line: number | null }[];
      };
      const lines = findings?.map(
        ({ code, message, line }) => `- ${code}${line === null ? '' : ` (line ${line})`}: ${message}`,
      );
      return answer([`${error.code}: ${error.message}`, ...(lines ?? [])].join('\n'), true);
    }
  }

  /**
   * Returns the complete answer of a tool.
   *
   * @throws AishError the reason why there is no answer: `invalid_body`, `not_found`, `forbidden`, `knowledge_lint`
   *   with findings
   */
  async ask({ name, arguments: text }: ToolCall, context: ToolContext, signal: AbortSignal): Promise<string> {
    const caller = await this.callerOf(context);
    switch (name) {
      case 'kb_query': {
        const { text: words, ...rest } = parse(Query, text);
        const query = parse(
          KnowledgeQuery,
          JSON.stringify({ ...rest, text: words.slice(0, KNOWLEDGE_LIMITS.queryMaxChars) }),
        );
        return hitLines(await this.parts.query(query, caller, signal));
      }
      case 'kb_read':
        return nodeText(await this.parts.read(parse(Read, text).id, caller, signal));
      case 'kb_remember': {
        const { id, path, commit, warnings } = await this.parts.remember(parse(RememberByTool, text), caller, signal);
        const done = commit === null ? 'Nothing had changed' : 'Written';
        return [`${done}: ${id ?? ''} ${path ?? ''}`.trim(), ...warnings.map(({ message }) => `- ${message}`)].join(
          '\n',
        );
      }
      case 'kb_lint': {
        const { ok, nodes, findings } = await this.parts.lint(caller, signal);
        const lines = findings.map(
          ({ fatal, code, path, message }) => `- ${fatal ? 'fatal ' : ''}${code} ${path}: ${message}`,
        );
        return [`${ok ? 'Nothing fatal' : 'Not in order'}, ${nodes} nodes.`, ...lines].join('\n');
      }
      default:
        throw new AishError('not_found', `There is no tool ${name}`);
    }
  }
}

function parse<S extends z.ZodType>(schema: S, text: string): z.infer<S> {
  let value: unknown;
  try {
    value = JSON.parse(text.trim() === '' ? '{}' : text);
  } catch {
    throw new AishError('invalid_body', 'The arguments are not JSON');
  }
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const issues = parsed.error.issues.slice(0, 3).map(({ path, message }) => `${path.join('.')}: ${message}`);
  throw new AishError('invalid_body', issues.join('; '));
}

function hitLines({ items, meaning, fits }: KnowledgeHits): string {
  const away = meaning === 'unavailable' ? ['(by words alone: the embedding model does not respond)'] : [];
  if (items.length === 0) return ['Nothing found. Try fewer or other words.', ...away].join('\n');
  return [
    ...away,
    ...(fits ? [] : [LOW_CONFIDENCE]),
    ...items.map(
      (hit) =>
        `- ${hit.title} (${hit.id}) [${hit.projects.join(', ')}; ${hit.status}; ${hit.updated.slice(0, 10)}]: ${hit.summary}`,
    ),
  ].join('\n');
}

function nodeText({ source, backlinks, movedFrom }: KnowledgeNode): string {
  const text = movedFrom === undefined ? source : `# ${movedFrom.id} is gone; this node stands for it now.\n${source}`;
  if (backlinks.length === 0) return text;
  return `${text}\nLinked from:\n${backlinks.map(({ relation, title, id }) => `- ${relation} ${title ?? ''} (${id})`).join('\n')}\n`;
}

function answer(text: string, isError: boolean): ToolResult {
  if (text.length <= TEXT_MAX_CHARS) return { text, isError, omittedBytes: 0 };
  return { text: text.slice(0, TEXT_MAX_CHARS), isError, omittedBytes: Buffer.byteLength(text.slice(TEXT_MAX_CHARS)) };
}
