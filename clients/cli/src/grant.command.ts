import { sessionToolsApi } from '@aish/contracts/endpoints/sessions';
import type { ToolGrantList } from '@aish/contracts/chat';
import type { Grant } from '@aish/contracts/grants';
import { listGrants, revokeGrant } from '@aish/client/goals.api';
import { note, writeJson, writeLines, type Io } from '@aish/client/io';
import { formatUses } from '@aish/views/control.format';
import { formatAge } from '@aish/views/duration.format';
import { line, span, type Line } from '@aish/views/line';
import { oneLine, showExact } from '@aish/views/sanitise';
import { z } from 'zod';
import { behaviour, flag, one } from './command.js';
import { sessionReference } from './reference.js';
import { WORK } from './work.command.js';

const TOOL = 'a tool as alias.name, or alias.* for all tools of a server';

export const grantList = behaviour({
  args: { ref: WORK },
  options: { tools: flag('list tools that run without asking in a chat') },
  json: 'print the response as JSON',
  examples: ['aish grant list g4', 'aish grant list c12', 'aish grant list c12 --tools'],
  run: async ({ args: { ref }, options, io, connect }) => {
    const { client } = connect();
    if (options.tools) {
      const tools = await client.call(sessionToolsApi.grants, { params: { ref } }, io.signal);
      return printTools(io, tools, options.json);
    }
    const list = await listGrants(client, ref, io.signal);
    if (options.json) return writeJson(io, list);
    if (list.items.length === 0) return note(io, 'There are no grants.');
    const nowMs = Date.now();
    writeLines(
      io,
      list.items.map((grant): Line => [
        span(`${grant.id}  `, 'bold'),
        span(grant.scope.padEnd(8)),
        span(subjectOf(grant), 'guilty'),
        span(`  by ${oneLine(grant.createdBy)} ${formatAge(grant.createdAt, nowMs)} ago, ${formatUses(grant)}`, 'dim'),
        span(grant.revokedBy === null ? '' : `  removed by ${oneLine(grant.revokedBy)}`, 'warn'),
      ]),
    );
  },
});

export const grantAdd = behaviour({
  args: { chat: one('a chat: c12, 12 or its UUID', sessionReference, { suggests: 'session' }), tool: one(TOOL) },
  json: 'print the current grants',
  examples: ['aish grant add c12 files.read_file', "aish grant add c12 'files.*'"],
  run: async ({ args, options, io, connect }) => {
    const sent = { params: { ref: args.chat }, body: { tool: args.tool } };
    printTools(io, await connect().client.call(sessionToolsApi.grant, sent, io.signal), options.json);
  },
});

export const grantRemove = behaviour({
  args: { ref: WORK, grant: one(`its ID from aish grant list, or ${TOOL}`) },
  json: 'print the grant, or the remaining grants',
  examples: ['aish grant remove g4 0b8f6d3d-6f57-4d1c-9a53-7b0c3f1e6c11', "aish grant remove c12 'files.*'"],
  run: async ({ args: { ref, grant }, options, io, connect }) => {
    const { client } = connect();
    if (!z.uuid().safeParse(grant).success) {
      const sent = { params: { ref }, body: { tool: grant } };
      return printTools(io, await client.call(sessionToolsApi.revoke, sent, io.signal), options.json);
    }
    const revoked = await revokeGrant(client, ref, grant, io.signal);
    if (options.json) return writeJson(io, revoked);
    writeLines(io, [line(`removed: ${subjectOf(revoked)}`)]);
  },
});

function subjectOf({ action, ruleId }: Grant): string {
  return action === null ? oneLine(ruleId ?? '') : showExact(action).replaceAll('\n', '\\n');
}

function printTools(io: Io, list: ToolGrantList, json: boolean): void {
  if (json) return writeJson(io, list);
  if (list.items.length === 0) return note(io, 'aish asks before every call in this chat.');
  writeLines(
    io,
    list.items.map((grant) => line(oneLine(grant.tool))),
  );
}
