import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { AishError } from '@aish/contracts/problems';
import { knowledgeApi } from '@aish/contracts/endpoints/knowledge';
import { line } from '@aish/views/line';
import { oneLine } from '@aish/views/sanitise';
import { behaviour, flag, option } from './command.js';
import { note, writeJson, writeLines, type Io } from '@aish/client/io';
import { KB_EXITS, REPO, folderOf, withExits, withKnowledge } from './kb.source.js';
import { printWrite } from './kb.write.command.js';

export const kbInit = behaviour({
  options: {
    ...REPO,
    remote: option('url', 'remote to push to: a private git repository'),
    machine: flag('set up this machine to push the clone'),
    emacs: flag('set up this machine to push the clone, and org-roam in Emacs'),
  },
  json: 'print the response, or each file and whether it was created or changed',
  examples: [
    'aish kb init',
    'aish kb init --repo ~/kb --remote git@nas:kb.git',
    'aish kb init --repo ~/kb --machine',
    'aish kb init --repo ~/kb --emacs',
  ],
  exits: KB_EXITS,
  run: (call) =>
    withKnowledge(call, async (kb) => {
      const { io, options } = call;
      const dir = folderOf(call);
      if (options.machine === undefined && options.emacs === undefined) {
        const made = await kb.init(options.remote, io.signal);
        if (options.json) return writeJson(io, made);
        writeLines(io, [line(`${made.outcome}: ${oneLine(made.dir)}, branch ${oneLine(made.branch)}`)]);
        for (const each of made.notes) note(io, oneLine(each));
        return;
      }
      if (dir === null)
        throw new AishError(
          'invalid_body',
          'Name the clone with --repo or AISH_KB. A server needs no setup, because it pushes automatically',
        );
      await kb.init(options.remote, io.signal);
      const { provision } = await import('@aish/knowledge/offline');
      const aish = [process.execPath, resolve(process.argv[1] ?? '')];
      const files = await provision(resolve(dir), { configHome: configHome(io), aish, emacs: options.emacs === true });
      if (options.json) return writeJson(io, files);
      writeLines(
        io,
        files.map(({ path, outcome }) => line(`${outcome.padEnd(9)}  ${oneLine(path)}`)),
      );
      note(
        io,
        'The timer starts when you next log in, or now: systemctl --user daemon-reload; systemctl --user start aish-kb-push.timer',
      );
      if (options.emacs === true)
        note(io, `Add to your Emacs init file: (load "${oneLine(join(configHome(io), 'aish', 'aish-kb.el'))}")`);
    }),
});

export const kbSync = behaviour({
  options: {
    ...REPO,
    full: flag('discard the server’s index and build a new one'),
    files: flag('rebuild the index files of the repository instead'),
  },
  json: 'print the response as JSON',
  examples: ['aish kb sync', 'aish kb sync --full', 'aish kb sync --repo ~/kb', 'aish kb sync --files'],
  exits: KB_EXITS,
  run: (call) => {
    if (call.options.files) {
      const { io, options } = call;
      return withKnowledge(call, async (kb) => printWrite(io, options.json, await kb.regenerateIndex(io.signal)));
    }
    return withExits(call, async () => {
      const { options, io, connect } = call;
      const dir = folderOf(call);
      if (dir !== null) return syncClone(dir, io, options.json);
      const done = await connect().client.call(knowledgeApi.sync, { body: { full: options.full === true } }, io.signal);
      if (options.json) return writeJson(io, done);
      const { added, changed, removed, skipped } = done;
      writeLines(io, [line(`${done.commit.slice(0, 10)}: ${added} added, ${changed} changed, ${removed} removed`)]);
      for (const path of skipped) note(io, `invalid, skipped: ${oneLine(path)}`);
    });
  },
});

async function syncClone(dir: string, io: Io, json: boolean): Promise<void> {
  const { syncOrgRoam } = await import('@aish/knowledge/offline');
  const { PATH, HOME } = io.config;
  const done = await syncOrgRoam(resolve(dir), { PATH, HOME }, io.signal);
  if (json) return writeJson(io, done);
  writeLines(io, [line(`org-roam: ${done.nodes} nodes, ${done.links} links in ${oneLine(done.database)}`)]);
}

function configHome({ config }: Io): string {
  return config.XDG_CONFIG_HOME ?? join(homedir(), '.config');
}
