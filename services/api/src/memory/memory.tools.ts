import { offer, type Caller, type OfferedTool } from '@aish/mcp';
import { callMemoryTool, memoryToolsFor, type MemoryParts } from '@aish/memory';

/** The memory for agents that come over MCP, scoped by their token: a person, or an app in a space. */
export function memoryTools(parts: MemoryParts): (caller: Caller) => readonly OfferedTool[] {
  return ({ memory }) => {
    if (memory === null) return [];
    return memoryToolsFor(memory).map((tool) =>
      offer({
        name: tool.name,
        title: tool.title,
        description: tool.description,
        needs: tool.annotations.readOnlyHint ? ['observe', 'app'] : ['operate', 'app'],
        inputSchema: tool.schema,
        annotations: tool.annotations,
        run: (input) => callMemoryTool(parts, memory, tool.name, input, { sessionId: null }),
      }),
    );
  };
}
