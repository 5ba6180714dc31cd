import { healthApi } from '@aish/contracts/endpoints/server';
import { VERSION } from '@aish/contracts/health';
import { AishError } from '@aish/contracts/problems';
import { AFTER, compareVersions, isOver, wantedUpgrade, type UpgradeJournal } from '@aish/contracts/upgrade';
import { readUpgrade } from '@aish/contracts/upgrade-file';
import { EXIT } from '@aish/client/exit-codes';
import { note, writeJson, writeLines, type Io } from '@aish/client/io';
import { line, type Line } from '@aish/views/line';
import { oneLine } from '@aish/views/sanitise';
import * as files from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { askYes } from './ask-yes.js';
import { changesBetween } from './changes-between.js';
import { behaviour, flag, maybe } from './command.js';
import type { Connected } from './context.js';
import { GitFolder } from './git-release.js';
import { composedHere } from './installation.compose.js';
import type { Installation } from './installation.js';
import { startedHere } from './installation.start.js';

export const upgrade = behaviour({
  args: { release: maybe('git repository and version: ADDRESS#TAG (default: the newest commit of your origin)') },
  options: {
    check: flag('only compare the versions of this client and its server'),
    yes: flag('do not ask for confirmation', '-y'),
  },
  json: 'print how the upgrade ended; with --check: both versions and the advice',
  exits: { 5: 'nothing was upgraded, or the new version failed and the old one runs again' },
  examples: ['aish upgrade', 'aish upgrade https://git.lan/aish.git#v0.2.0', 'aish upgrade --check'],
  run: async ({ args, options, io, connect, exit }) => {
    if (options.check === true) return compare(io, connect(), options.json);
    const here =
      (await startedHere(io, () => connect().client)) ?? (await composedHere(io, process.cwd())) ?? notHere();
    const begun = await readUpgrade(here.journalFile, files);
    const journal =
      begun !== null && !isOver(begun) ? begun : await prepared(here, args.release, options.yes === true, io);
    if (journal === null) return exit(EXIT.notDone);
    const over = await here.finish(journal);
    if (over.step !== 'done') exit(EXIT.notDone);
    if (options.json) writeJson(io, over);
    else writeLines(io, outcomeLines(over));
  },
});

/** Makes a release ready and backs up. Returns null if there is nothing to do or the person does not agree. */
async function prepared(
  here: Installation,
  given: string | undefined,
  isAgreed: boolean,
  io: Io,
): Promise<UpgradeJournal | null> {
  const root = new GitFolder(here.root, io.signal);
  const address = given ?? (await root.origin());
  if (address === null) {
    throw new AishError(
      'invalid_body',
      'No release of aish is published yet, and this checkout has no origin. Name a git repository: aish upgrade ADDRESS#TAG',
    );
  }
  const found = await here.releases.fetchRelease(address);
  const { version } = Manifest.parse(JSON.parse(await files.readFile(join(here.root, 'package.json'), 'utf8')));
  if (compareVersions(found.version, version) < 0) {
    throw new AishError(
      'invalid_body',
      `${address} is aish ${found.version}, but ${version} runs here. The database cannot go back; restore a backup instead`,
    );
  }
  if ((await root.git(['rev-parse', 'HEAD']).catch(() => '')).trim() === found.commit) {
    note(io, `aish ${version} is the newest version of ${address}`);
    return null;
  }
  const older = await files.readFile(join(here.root, 'CHANGELOG.md'), 'utf8').catch(() => '');
  const changes = changesBetween(older, found.changelog).map(oneLine);
  note(io, [`aish ${version} → ${oneLine(found.version)} (${found.commit.slice(0, 12)})`, ...changes, ''].join('\n'));
  if (!isAgreed && !(await askYes(io, 'Upgrade now?'))) return null;
  const to = await here.prepare(found);
  const backup = await here.backUp(to);
  note(io, `Backup: ${backup}`);
  return wantedUpgrade(to, backup);
}

const Manifest = z.object({ version: z.string() });

function outcomeLines({ step, from, to, backup, why, came }: UpgradeJournal): readonly Line[] {
  if (step === 'done') return [line(`aish ${to.version} runs. The backup of before is ${backup}`, 'good')];
  return [
    line(`aish ${from?.version ?? ''} runs again, because ${to.version} failed: ${oneLine(why ?? '')}`, 'bad'),
    ...(came.length === 0 ? [] : [line(`This came in after the copy. It is only in the database ${AFTER}:`)]),
    ...came.map((each) => line(`  ${oneLine(each)}`)),
  ];
}

function notHere(): never {
  throw new AishError(
    'invalid_config',
    'aish runs neither with npm start nor with docker compose here. Run aish upgrade on the machine of the server: ' +
      'while npm start runs, or in the folder of docker-compose.yml. To compare versions: aish upgrade --check',
  );
}

async function compare(io: Io, { client, address }: Connected, isJson: boolean): Promise<void> {
  const server = oneLine((await client.call(healthApi.check, {}, io.signal)).version);
  const advice = adviceFor(VERSION, server);
  if (isJson) return writeJson(io, { client: VERSION, server, advice });
  writeLines(io, [line(`aish ${VERSION} here, ${server} at ${address.url}`), ...advice.map((text) => line(text))]);
}

/** Returns advice for a client and a server with different versions. */
function adviceFor(client: string, server: string): readonly string[] {
  const order = compareVersions(client, server);
  if (order === 0) return ['Both have the same version; there is nothing to do.'];
  if (order < 0) {
    return [
      `This client is older. To upgrade it, run in a checkout of aish at version ${server}:`,
      `  npm ci && npm run build && npm pack -w @aish/cli && npm i -g ./aish-cli-${server}.tgz`,
    ];
  }
  return ['The server is older. Run on its machine: aish upgrade'];
}
