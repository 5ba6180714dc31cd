import { auditApi } from '@aish/contracts/endpoints/server';
import { AuditAction, type AuditCheck } from '@aish/contracts/audit';
import { auditSentence } from '@aish/views/audit.format';
import { line, span, type Line } from '@aish/views/line';
import { choice, behaviour, flag, option } from './command.js';
import { writeJson, writeLines } from '@aish/client/io';

const PAGE = 100;

export const audit = behaviour({
  options: {
    action: choice('action', 'only entries with this action', AuditAction.options),
    before: option('n', 'only entries before this number', { read: Number }),
    verify: flag('verify that the log is intact, and print its newest hash'),
    head: option('hash', 'with --verify: an earlier hash that the log must still contain'),
  },
  json: 'print the response as JSON',
  examples: ['aish audit', 'aish audit --action verdict.given --json', 'aish audit --verify'],
  exits: { 1: '--verify: the log was changed' },
  run: async ({ options, io, connect, exit }) => {
    const { action, before, head } = options;
    if (options.verify === true) {
      const check = await connect().client.call(auditApi.check, { query: { head } }, io.signal);
      if (check.brokenAt !== null || check.knowsHead === false) exit(1);
      if (options.json) return writeJson(io, check);
      return writeLines(io, checkLines(check));
    }
    const list = await connect().client.call(auditApi.list, { query: { action, before, limit: PAGE } }, io.signal);
    if (options.json) return writeJson(io, list);
    writeLines(
      io,
      list.items.map((entry): Line => [
        span(`${String(entry.n).padStart(6)}  ${entry.at.slice(0, 19).replace('T', ' ')}  `, 'dim'),
        span(auditSentence(entry)),
      ]),
    );
  },
});

function checkLines({ entries, sealed, head, knowsHead, brokenAt }: AuditCheck): readonly Line[] {
  const verdict = brokenAt === null ? 'the log is intact' : `broken at entry ${brokenAt}`;
  return [
    [span(verdict, brokenAt === null ? 'bold' : 'warn'), span(`  ${sealed} of ${entries} entries are sealed`)],
    ...(knowsHead === false ? [[span('the log does not contain the hash that you gave', 'warn')]] : []),
    ...(head === null ? [] : [line(`newest hash  ${head}`)]),
  ];
}
