import { KNOWLEDGE_LIMITS, KnowledgeQuery, ProjectSlug, RememberByTool } from '@aish/contracts/knowledge';
import type { KnowledgeTools } from '@aish/knowledge';
import { KNOWLEDGE_TOOLS } from '@aish/knowledge';
import { offer, type OfferedTool } from '@aish/mcp';
import { z } from 'zod';
import type { Knowledge } from './open-knowledge.js';

const TIMEOUT_MS = 120_000;

/**
 * Offers the knowledge base to MCP clients, with the same tools that aish's models have, limited to the token's
 * projects.
 */
export function knowledgeTools({ tools }: Pick<Knowledge, 'tools'>): readonly OfferedTool[] {
  if (tools === null) return [];
  return [
    offered(tools, 'kb_lint', 'Check the knowledge base', 'observe', z.object({})),
    offered(
      tools,
      'kb_query',
      'Search the knowledge base',
      'observe',
      z.object({
        text: KnowledgeQuery.shape.text,
        project: ProjectSlug.optional(),
        limit: z.int().min(1).max(KNOWLEDGE_LIMITS.queryMax).optional(),
      }),
    ),
    offered(tools, 'kb_read', 'Read a node', 'observe', z.object({ id: z.uuid() })),
    offered(tools, 'kb_remember', 'Write a node', 'operate', RememberByTool),
  ];
}

function offered(
  tools: KnowledgeTools,
  name: string,
  title: string,
  needs: 'observe' | 'operate',
  inputSchema: z.ZodObject,
): OfferedTool {
  const spec = KNOWLEDGE_TOOLS.find((each) => each.name === name);
  return offer({
    name,
    title,
    description: spec?.description ?? title,
    needs,
    inputSchema,
    annotations: { readOnlyHint: needs === 'observe', destructiveHint: false },
    run: (input, caller) => {
      const call = { id: name, name, arguments: JSON.stringify(input) };
      const context = { sessionId: 'mcp', owner: caller.name, goalId: null };
      return tools.ask(call, context, AbortSignal.timeout(TIMEOUT_MS));
    },
  });
}
