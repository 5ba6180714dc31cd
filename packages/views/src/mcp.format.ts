import type { McpServerList, McpServerStatus } from '@aish/contracts/mcp';
import { line, span, type Line } from './line.js';
import { oneLine } from './sanitise.js';

const STYLES = {
  connected: 'good',
  connecting: 'warn',
  waiting: 'warn',
  unauthorized: 'warn',
  closed: 'dim',
} as const satisfies Record<McpServerStatus['state'], string>;

/** Formats a server: its name, connection and contents, then the advice, and what was omitted. */
export function mcpServerLines(server: McpServerStatus): Line[] {
  const { alias, state, where, tools, serverName, serverVersion, protocolVersion, transport, source, space } = server;
  const what = serverName === null ? '' : `  ${oneLine(serverName)} ${oneLine(serverVersion ?? '')}`;
  const how = transport === null ? '' : `  ${transport}, protocol ${protocolVersion ?? 'unknown'}`;
  const more: Line[] = [];
  if (server.detail !== null) more.push([span(`    ${oneLine(server.detail)}`, 'warn')]);
  if (server.authorizeUrl !== null) more.push([span(`    authorize aish at ${oneLine(server.authorizeUrl)}`)]);
  for (const left of server.leftOut) more.push([span(`    omitted: ${oneLine(left)}`, 'dim')]);
  return [
    [
      span(`${oneLine(alias)}  `, 'bold'),
      span(state, STYLES[state]),
      span(`  ${tools} tools  ${oneLine(where)}${what}`),
      span(space === null ? '' : `  space ${oneLine(space)}`),
      span(`${how}  (${source})`, 'dim'),
    ],
    ...more,
  ];
}

/** Says which tools a model sees only after searching for them, and why. */
export function hiddenToolLines({ hiddenTools }: McpServerList): Line[] {
  if (hiddenTools === null || hiddenTools.hidden === 0) return [];
  const { hidden, tools, preset, contextTokens, share } = hiddenTools;
  const why = `TOOL_SHARE ${share} of ${contextTokens} tokens`;
  return [line(`${hidden} of ${tools} tools are hidden: ${preset} finds them with tool_search (${why})`, 'warn')];
}
