import { AuditAction } from '@aish/contracts/audit';
import { listAudit } from '../api/tokens.api.js';
import { span, type Line } from '@aish/views/line';
import { oneLine } from '@aish/views/sanitise';
import { choice, command, option } from './command.js';
import { writeJson, writeLines } from './io.js';

const PAGE = 100;

export const audit = command({
  name: 'audit',
  about: 'who gave verdicts, made tokens and changed policies, newest first',
  options: {
    action: choice('action', 'only these', AuditAction.options),
    before: option('n', 'only entries before this number', { read: Number }),
  },
  json: 'print the api’s answer',
  examples: ['aish audit', 'aish audit --action verdict.given --json'],
  run: async ({ options, io, connect }) => {
    const { action, before } = options;
    const list = await listAudit(connect().client.transport, { action, before, limit: PAGE }, io.signal);
    if (options.json) return writeJson(io, list);
    writeLines(
      io,
      list.items.map((entry): Line => [
        span(`${String(entry.n).padStart(6)}  ${entry.at.slice(0, 19).replace('T', ' ')}  `, 'dim'),
        span(`${oneLine(entry.actor)}  `, 'bold'),
        span(`${entry.action}  ${oneLine(entry.subject)}  `),
        span(oneLine(JSON.stringify(entry.facts)), 'dim'),
      ]),
    );
  },
});
