import { offer, type Caller, type OfferedTool } from '@aish/mcp';
import { callMemoryTool, memoryToolsFor, type MemoryParts } from '@aish/memory';

const TIMEOUT_MS = 60_000;

/** Offers the memory to MCP clients, limited by their token to a person, or to an app in a space. */
export function memoryTools(parts: MemoryParts): (caller: Caller) => readonly OfferedTool[] {
  return ({ memory, name }) => {
    if (memory === null) return [];
    return memoryToolsFor(memory).map((tool) =>
      offer({
        name: tool.name,
        title: tool.title,
        description: tool.description,
        needs: tool.annotations.readOnlyHint ? ['observe', 'app'] : ['operate', 'app'],
        inputSchema: tool.schema,
        annotations: tool.annotations,
        run: (input) => {
          const origin = { sessionId: null, token: name, signal: AbortSignal.timeout(TIMEOUT_MS) };
          return callMemoryTool(parts, memory, tool.name, input, origin);
        },
      }),
    );
  };
}
