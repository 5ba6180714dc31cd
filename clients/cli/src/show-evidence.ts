import { sessionsApi } from '@aish/contracts/endpoints/sessions';
import type { ApiClient } from '@aish/client/api.client';
import { note, writeJson, writeLines, type Io } from '@aish/client/io';
import { line, span, type Line } from '@aish/views/line';
import { cleanText, oneLine } from '@aish/views/sanitise';
import { sessionOf } from './session-of.js';

/** Shows logs and state that aish read on hosts before a command stopped something there. */
export async function showEvidence(client: ApiClient, ref: string, json: boolean, io: Io): Promise<void> {
  const id = await sessionOf(client, ref, io);
  const { items } = await client.call(sessionsApi.evidence, { params: { ref: id } }, io.signal);
  if (json) return writeJson(io, items);
  if (items.length === 0) note(io, 'There is no evidence: no command has stopped anything on a host.');
  writeLines(
    io,
    items.flatMap(({ at, host, command, subjects, failed, text }): Line[] => [
      [span(`${at}  `, 'dim'), span(oneLine(`${subjects.join(', ')} on ${host}`), 'bold')],
      line(`before: ${oneLine(command)}`, 'dim'),
      ...(failed === null ? [] : [line(`incomplete: ${oneLine(failed)}`, 'warn')]),
      // The output of programs is indented, and titles are not.
      ...text
        .trimEnd()
        .split('\n')
        .map((each) => line(cleanText(each.replaceAll('\r', ' ')), each.startsWith(' ') ? 'plain' : 'accent')),
      line(''),
    ]),
  );
}
