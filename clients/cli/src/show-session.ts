import { secretsApi } from '@aish/contracts/endpoints/access';
import { networkApi, sessionSandboxApi, sessionsApi } from '@aish/contracts/endpoints/sessions';
import type { ApiClient } from '@aish/client/api.client';
import { writeJson, writeLines, type Io } from '@aish/client/io';
import { line, span, type Line } from '@aish/views/line';
import { cleanText, oneLine } from '@aish/views/sanitise';
import { networkLine } from '@aish/views/space.lines';
import { sessionOf } from './session-of.js';
import { carryOverLine } from './set.command.js';

/** Shows the newest turns of a chat. */
export async function showChat(client: ApiClient, ref: string, limit: number, json: boolean, io: Io): Promise<void> {
  const found = await client.call(sessionsApi.show, { params: { ref } }, io.signal);
  const { items } = await client.call(sessionsApi.turns, { params: { ref: found.id }, query: { limit } }, io.signal);
  if (json) return writeJson(io, { ...found, items });
  writeLines(io, [
    [span(`session ${found.number}  `, 'accent'), span(oneLine(found.title), 'bold')],
    ...items.flatMap((turn): Line[] => [
      line(''),
      line(`${turn.role}${turn.end === null || turn.end === 'whole' ? '' : ` (${turn.end})`}`, 'accent'),
      ...cleanText(turn.content)
        .split('\n')
        .map((text) => line(`  ${text}`)),
      ...turn.toolCalls.map((call) => line(`  calls ${oneLine(call.name)} ${oneLine(call.arguments)}`, 'dim')),
    ]),
  ]);
}

/** Shows where the commands of a goal or chat run, what they may access, and what they have accessed. */
export async function showAccess(client: ApiClient, ref: string, json: boolean, io: Io): Promise<void> {
  const params = { id: await sessionOf(client, ref, io) };
  const [sandbox, network, connections, secrets] = await Promise.all([
    client.call(sessionSandboxApi.find, { params }, io.signal),
    client.call(networkApi.policy, { params }, io.signal),
    client.call(networkApi.connections, { params }, io.signal),
    client.call(secretsApi.ofSession, { params }, io.signal),
  ]);
  if (json) return writeJson(io, { ...sandbox, network, secrets: secrets.names, connections: connections.items });
  writeLines(io, [
    line(`sandbox     ${sandbox.sandbox ?? 'none yet'}`),
    carryOverLine(sandbox.carryOver),
    networkLine(network),
    line(`secrets     ${secrets.names.join('  ') || 'none'}`),
    ...connections.items.map((each): Line => [
      span(`  ${each.at}  `, 'dim'),
      span(each.allowed ? 'reached ' : 'refused ', each.allowed ? 'plain' : 'warn'),
      span(oneLine(`${each.host}:${each.port}`)),
      span(each.allowed ? '' : `  ${oneLine(each.reason)}`, 'dim'),
    ]),
  ]);
}
