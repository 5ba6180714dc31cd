import { recallApi } from '@aish/contracts/endpoints/memory';
import { LOW_CONFIDENCE, RECALL_LIMITS, RecallKind, type RecallHit } from '@aish/contracts/recall';
import { formatAge } from '@aish/views/duration.format';
import { line, span, type Line } from '@aish/views/line';
import { oneLine } from '@aish/views/sanitise';
import { choice, behaviour, many, option } from './command.js';
import { note, writeJson, writeLines } from '@aish/client/io';
import { wholeNumber } from './whole-number.js';

export const recall = behaviour({
  args: { words: many('what to look for') },
  options: {
    kind: choice('kind', 'only items, documents, nodes, chats or goals', RecallKind.options),
    limit: option('n', `maximum number of results (default: ${RECALL_LIMITS.limitDefault})`, { read: wholeNumber }),
  },
  json: 'print the response as JSON',
  examples: ['aish recall "when did we change the disk of the NAS"', 'aish recall nginx --kind chat'],
  exits: { 1: 'nothing found' },
  run: async ({ args, options, io, connect, exit }) => {
    const query = { q: args.words.join(' '), limit: options.limit, kind: options.kind };
    const found = await connect().client.call(recallApi.recall, { query }, io.signal);
    if (options.json) writeJson(io, found);
    else {
      if (found.meaning === 'unavailable') note(io, 'Searched by keywords only: the embedding model is unavailable.');
      for (const each of found.notes) note(io, oneLine(each));
      if (found.items.length === 0) note(io, 'Nothing found.');
      else if (!found.fits) note(io, LOW_CONFIDENCE);
      const nowMs = Date.now();
      writeLines(
        io,
        found.items.flatMap((hit) => hitLines(hit, nowMs)),
      );
    }
    if (found.items.length === 0) exit(1);
  },
});

/** Returns the lines of a result, with the command that shows it in full. */
function hitLines(hit: RecallHit, nowMs: number): Line[] {
  const { kind, title, text, at } = hit;
  return [
    [
      span(`${formatAge(at, nowMs).padStart(4)}  ${kind.padEnd(8)}  `, 'dim'),
      span(title === '' ? '' : `${oneLine(title)}  `, 'bold'),
      span(whereOf(hit), 'accent'),
    ],
    line(`      ${oneLine(text)}`),
  ];
}

function whereOf({ kind, name, title, place }: RecallHit): string {
  switch (kind) {
    case 'item':
      return `aish memory show ${name}`;
    case 'node':
      return `aish kb show ${oneLine(name)}`;
    case 'document': {
      const [scope = '', space] = name.split('/');
      const section = title === '' ? '' : ` --section ${JSON.stringify(oneLine(title))}`;
      return `aish memory document show ${oneLine(scope)}${space === undefined ? '' : ` --space ${oneLine(space)}`}${section}`;
    }
    case 'chat':
      return `aish show ${name}, turn ${place ?? '?'}`;
    case 'goal':
      return `aish show ${name}, turn ${place ?? '?'}`;
  }
}
