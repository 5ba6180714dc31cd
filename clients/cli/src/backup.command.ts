import { backupApi } from '@aish/contracts/endpoints/server';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { Readable } from 'node:stream';
import type { BackupManifest } from '@aish/contracts/backup';
import { AishError } from '@aish/contracts/problems';
import { saveBackup } from './save-backup.js';
import { verifyBackup } from './verify-backup.js';
import { line } from '@aish/views/line';
import { behaviour, flag, maybe, one, option } from './command.js';
import { EXIT } from '@aish/client/exit-codes';
import { note, writeJson, writeLines } from '@aish/client/io';
import { noteSkipped } from './skipped-files.js';

export const backup = behaviour({
  args: { file: maybe('target file (default: aish-DATE.tar.gz in this folder)', { suggests: 'file' }) },
  options: {
    workspaces: option('which', 'include workspaces: all, or session IDs separated by commas'),
    verify: flag('only verify an existing file against its manifest'),
  },
  json: 'print the manifest',
  exits: { 5: 'the backup was written, but some workspace files were skipped (see stderr)' },
  examples: ['aish backup', 'aish backup /mnt/nas/aish.tar.gz --workspaces all', 'aish backup aish.tar.gz --verify'],
  run: async ({ args, options, io, connect, exit }) => {
    const file = args.file ?? `aish-${new Date().toISOString().slice(0, 19).replaceAll(':', '')}.tar.gz`;
    if (!options.verify && !/[./]/.test(file)) {
      const advice = `“${file}” is not a subcommand. If it is the name of the file, write ./${file} or ${file}.tar.gz`;
      throw new AishError('invalid_body', advice);
    }
    if (!options.verify) await saveBackup(connect().client, file, options.workspaces, io.signal);
    const manifest = await verifyBackup(file);
    noteSkipped(io, manifest.skipped);
    if (manifest.skipped.length > 0) exit(EXIT.notDone);
    if (options.json) return writeJson(io, manifest);
    writeLines(io, [line(await summary(file, manifest))]);
  },
});

export const restore = behaviour({
  args: { file: one('a backup') },
  options: { yes: flag('do not ask for confirmation', '-y') },
  json: 'print what was restored',
  examples: ['aish backup restore aish-2026-11-21T020000.tar.gz'],
  run: async ({ args, options, io, connect, exit }) => {
    const manifest = await verifyBackup(args.file);
    note(io, await summary(args.file, manifest));
    if (!options.yes) {
      throw new AishError('invalid_body', 'This restores the backup into an empty aish. Confirm with --yes');
    }
    const archive = Readable.toWeb(createReadStream(args.file)) as ReadableStream<Uint8Array>;
    const restored = await connect().client.call(backupApi.restore, { body: archive }, io.signal);
    if (restored.problems.length > 0) exit(EXIT.refused);
    if (options.json) return writeJson(io, restored);
    const { tables, knowledge, workspaces, problems } = restored;
    writeLines(io, [
      line(`restored ${tables} tables, ${knowledge ? 'knowledge' : 'no knowledge'}, ${workspaces} workspaces`),
      ...problems.map((problem) => line(`not restored: ${problem}`, 'bad')),
    ]);
    note(io, 'Unfinished goals continue automatically. Valid tokens are those in the backup and the one you used.');
  },
});

async function summary(file: string, manifest: BackupManifest): Promise<string> {
  const { size } = await stat(file);
  const { version, createdAt, tables, knowledge, workspaces } = manifest;
  const parts = [
    `${tables.length} tables`,
    knowledge === null ? 'no knowledge' : 'knowledge',
    `${workspaces.length} workspaces`,
  ];
  return `${file}: intact, ${Math.ceil(size / 1024)} KiB, aish ${version} of ${createdAt}: ${parts.join(', ')}`;
}
