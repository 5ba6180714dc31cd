import type { MemoryCaller } from '@aish/contracts/memory';
import { ReadDocument, type DocumentReading } from '@aish/contracts/memory-documents';
import { AishError, isAishError } from '@aish/contracts/problems';
import { LOW_CONFIDENCE, type RecallHit, type RecallKind } from '@aish/contracts/recall';
import type { ToolCall, ToolContext, ToolProvider, ToolResult, ToolSpec } from '@aish/contracts/tools';
import type { Database } from '@aish/database/client';
import type { SessionSpaces } from '@aish/database/session-spaces';
import type { z } from 'zod';
import { MemoryCallers } from './callers.js';
import { MemoryCandidates } from './candidates.js';
import { MemoryDocuments, nameOf } from './documents.js';
import { formatSize } from './instructions.js';
import { MemoryItems } from './items.js';
import type { Meaning } from './meaning.js';
import { Recall, type AskKnowledge } from './recall/recall.js';
import { memoryToolsFor, toolSpecOf, type MemoryToolName } from './tool-definitions.js';

export interface MemoryParts {
  readonly items: MemoryItems;
  readonly candidates: MemoryCandidates;
  readonly documents: MemoryDocuments;
  readonly recall: Recall;
}

/** The origin of a call. It is recorded with the call's proposals. */
export interface CallOrigin {
  readonly sessionId: string | null;
  /** The name of the calling token. */
  readonly token: string;
  readonly signal: AbortSignal;
}

/**
 * Calls a memory tool for a caller. The arguments are checked against this caller's schema, and the call against its
 * permissions.
 *
 * @throws AishError `not_found` for a tool that was not offered; `invalid_body`; `forbidden`; errors of the memory.
 */
export async function callMemoryTool(
  parts: MemoryParts,
  caller: MemoryCaller,
  name: string,
  args: unknown,
  origin: CallOrigin,
): Promise<string> {
  const tool = memoryToolsFor(caller).find((candidate) => candidate.name === name);
  if (tool === undefined) throw new AishError('not_found', `There is no tool ${name}`);
  const parsed = tool.schema.safeParse(args);
  if (!parsed.success) {
    const faults = parsed.error.issues.map((issue) => `${issue.path.join('.') || 'arguments'}: ${issue.message}`);
    throw new AishError('invalid_body', faults.join('; '));
  }
  return ACTIONS[tool.name](parts, caller, parsed.data, origin);
}

type Action = (parts: MemoryParts, caller: MemoryCaller, args: Args, origin: CallOrigin) => Promise<string>;
type Args = Readonly<Record<string, unknown>>;

const ACTIONS: Readonly<Record<MemoryToolName, Action>> = {
  memory_list: async ({ documents }, caller, args) => {
    const { items } = await documents.list(caller, args['space'] as string | undefined);
    if (items.length === 0) return 'There are no memory documents yet.';
    return items
      .map(({ scope, version, sizeBytes, wholeTokens, archives }) =>
        [
          `${scope}: ${formatSize(sizeBytes)}, about ${wholeTokens} tokens, version ${version}`,
          ...archives.map((archive) => `  ${archive.path} (${archive.reason}, ${formatSize(archive.sizeBytes)})`),
        ].join('\n'),
      )
      .join('\n');
  },

  memory_read: async ({ documents }, caller, args) => {
    const query = ReadDocument.parse(args);
    return shown(await documents.read(caller, args['scope'] as DocumentReading['scope'], query));
  },

  memory_write: async ({ documents }, caller, args) => {
    const { scope, mode, content, expectedVersion, space } = args as z.infer<typeof ReadDocument> & {
      scope: DocumentReading['scope'];
      mode: 'append' | 'replace';
      content: string;
      expectedVersion?: number;
      space?: string;
    };
    const input = {
      mode,
      content,
      ...(expectedVersion === undefined ? {} : { expectedVersion }),
      ...(space === undefined ? {} : { space }),
    };
    const written = await documents.write(caller, scope, input, { keepsOld: true });
    const held = [...new Set(written.secrets.map(({ title }) => title))];
    const warning = held.length === 0 ? '' : ` It looks like it holds ${held.join(', ')}: secrets do not belong here.`;
    return `Written: version ${written.version}, ${formatSize(written.sizeBytes)}, about ${written.wholeTokens} tokens in all.${warning}`;
  },

  memory_search: async ({ items }, caller, args) => {
    const question = [caller.owner, String(args['query']), Number(args['limit'])] as const;
    const { items: found, meaning, fits } = await items.lookFor(...question);
    const note = meaning === 'unavailable' ? ['(by words alone: the embedding model does not respond)'] : [];
    if (found.length === 0) return ['Nothing is remembered about that.', ...note].join('\n');
    if (!fits) note.push(`(${LOW_CONFIDENCE})`);
    return [...found.map((item) => `${item.number} (${item.kind}) ${item.content}`), ...note].join('\n');
  },

  memory_recall: async ({ recall }, memory, args, { token, sessionId, signal }) => {
    const { query, limit, kind } = args as { query: string; limit: number; kind?: RecallKind };
    const question = { text: query, limit, except: sessionId, ...(kind === undefined ? {} : { kinds: [kind] }) };
    const { items, meaning, fits, notes } = await recall.find(question, { memory, token }, signal);
    const remarks = [
      ...notes,
      ...(meaning === 'unavailable' ? ['by words alone: the embedding model does not respond'] : []),
    ];
    const lines = items.length === 0 ? ['Nothing is kept about that.'] : items.map(recallLine);
    const confidence = items.length > 0 && !fits ? [`(${LOW_CONFIDENCE})`] : [];
    return [...lines, ...remarks.map((note) => `(${note})`), ...confidence].join('\n');
  },

  memory_remember: async ({ candidates }, caller, args, { sessionId }) => {
    const { kind, content, tags } = args as { kind: 'fact' | 'pref' | 'context'; content: string; tags: string[] };
    const by = sessionId === null ? nameOf(caller) : 'the model';
    const proposed = await candidates.propose(caller.owner, { kind, content, tags, sessionId, step: null, by });
    if (proposed === null) return 'Proposed before: the person has answered it, or will (:memory review).';
    return `Proposed as candidate ${proposed.number}. It is not remembered until the person accepts it (:memory review).`;
  },
};

/** Formats a result with its place, in words that the other tools accept. */
function recallLine({ kind, name, title, text, place, at }: RecallHit): string {
  const where = `${kind} ${name}${title === '' ? '' : ` "${title}"`}${place === null ? '' : ` (${kind === 'document' ? 'line' : 'turn'} ${place})`}`;
  return `- ${where}, ${at.slice(0, 10)}: ${text}`;
}

function shown(reading: DocumentReading): string {
  const { scope, version, sizeBytes, lines, wholeTokens, fromLine, notes, text } = reading;
  const from = fromLine > 1 ? `; from line ${fromLine}` : '';
  const head = `[memory ${scope}: version ${version}, ${lines} lines, ${formatSize(sizeBytes)}, about ${wholeTokens} tokens in all${from}]`;
  return [head, ...notes.map((note) => `(${note})`), text].join('\n');
}

/** Labels of tools whose only changes are reviewed by a person later, so that aish need not ask before each call. */
export const UNASKED_MEMORY_TOOLS: readonly string[] = [
  'memory.list',
  'memory.read',
  'memory.recall',
  'memory.remember',
  'memory.search',
];

/** The memory in chats and goals, for the owner of their token: a person, or an app. */
export class MemoryToolProvider implements ToolProvider {
  readonly name = 'memory';

  constructor(
    private readonly callers: MemoryCallers,
    private readonly parts: MemoryParts,
  ) {}

  async tools(context: ToolContext): Promise<readonly ToolSpec[]> {
    const caller = await this.callers.inSpace(context);
    const specs = memoryToolsFor(caller).map(toolSpecOf);
    if (!(await this.parts.documents.isMemoryEmpty(caller))) return specs;
    // In a chat a person may ask to remember the first item.
    const isFirst = ({ name }: ToolSpec): boolean => context.goalId === null && name === 'memory_remember';
    return specs.map((spec) => (isFirst(spec) ? spec : { ...spec, holdsNothing: true }));
  }

  async call(call: ToolCall, context: ToolContext, signal: AbortSignal): Promise<ToolResult> {
    signal.throwIfAborted();
    try {
      const args: unknown = call.arguments.trim() === '' ? {} : JSON.parse(call.arguments);
      const caller = await this.callers.inSpace(context);
      const origin = { sessionId: context.sessionId, token: context.owner, signal };
      const text = await callMemoryTool(this.parts, caller, call.name, args, origin);
      return { text, isError: false, omittedBytes: 0 };
    } catch (error) {
      if (error instanceof SyntaxError) return refusal(`The arguments are not valid JSON: ${error.message}`);
      if (isAishError(error)) return refusal(`${error.code}: ${error.message}`);
      throw error;
    }
  }
}

/**
 * Returns the memory's tools on a database.
 *
 * @param knowledge for recall; null if there is no knowledge base.
 */
export function memoryToolProvider(
  db: Database,
  spaces: SessionSpaces,
  meaning: Meaning | null = null,
  knowledge: AskKnowledge | null = null,
): MemoryToolProvider {
  const items = new MemoryItems(db, meaning);
  const documents = new MemoryDocuments(db);
  return new MemoryToolProvider(new MemoryCallers(db, spaces), {
    items,
    candidates: new MemoryCandidates(db, items),
    documents,
    recall: new Recall(db, items, meaning, knowledge),
  });
}

function refusal(text: string): ToolResult {
  return { text, isError: true, omittedBytes: 0 };
}
