import { healthApi } from '@aish/contracts/endpoints/server';
import { VERSION } from '@aish/contracts/health';
import { AishError } from '@aish/contracts/problems';
import { FAILED_DATABASE, compareVersions, isOver, wantedUpgrade, type UpgradeJournal } from '@aish/contracts/upgrade';
import { readUpgrade } from '@aish/contracts/upgrade-file';
import { EXIT } from '@aish/client/exit-codes';
import { note, writeJson, writeLines, type Io } from '@aish/client/io';
import { takeLock, type Lock } from '@aish/client/lock';
import { line, type Line } from '@aish/views/line';
import { oneLine } from '@aish/views/sanitise';
import { realpathSync } from 'node:fs';
import * as files from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { z } from 'zod';
import { askYes } from './ask-yes.js';
import { changesBetween } from './changes-between.js';
import { behaviour, flag, maybe, option } from './command.js';
import type { Connected } from './context.js';
import { GitFolder } from './git-release.js';
import { composedHere } from './installation.compose.js';
import { containedHere } from './installation.container.js';
import type { Installation } from './installation.js';
import { startedHere } from './installation.start.js';
import { checkSignature, signersOf } from './release-signature.js';
import { isOfCheckout, versionAdvice } from './version-advice.js';

export const upgrade = behaviour({
  args: { release: maybe('git repository and version: ADDRESS#TAG (default: the newest commit of your origin)') },
  options: {
    check: flag('only compare the versions of this client and its server'),
    yes: flag('do not ask for confirmation', '-y'),
    container: option('name', 'container of the one image, if there are several (default: aish)'),
  },
  json: 'print how the upgrade ended; with --check: both versions and the advice',
  exits: { 5: 'nothing was upgraded, or the new version failed and the old one runs again' },
  examples: ['aish upgrade', 'aish upgrade https://git.lan/aish.git#v0.2.0', 'aish upgrade --check'],
  run: async ({ args, options, io, connect, exit }) => {
    if (options.check === true) return compare(io, connect(), options.json);
    const { container } = options;
    const here =
      container === undefined
        ? ((await startedHere(io, () => connect().client)) ??
          (await composedHere(io, process.cwd())) ??
          (await containedHere(io, process.cwd(), 'aish')))
        : await containedHere(io, process.cwd(), container);
    if (here === null) throw notHere(container);
    const lock = await lockOf(here);
    try {
      const begun = await readUpgrade(here.journalFile, files);
      const journal =
        begun !== null && !isOver(begun) ? begun : await prepared(here, args.release, options.yes === true, io);
      if (journal === null) return exit(EXIT.notDone);
      const over = await here.finish(journal);
      if (over.step !== 'done') exit(EXIT.notDone);
      if (options.json) writeJson(io, over);
      else writeLines(io, [...outcomeLines(over), ...adviceAfter(over)]);
    } finally {
      await lock.release();
    }
  },
});

/** @throws AishError `locked` if another `aish upgrade` is working on this installation */
async function lockOf({ journalFile }: Installation): Promise<Lock> {
  const path = join(dirname(journalFile), 'aish-upgrade.sock');
  // The path of a socket must be short.
  const [shortest = path] = [relative(process.cwd(), path), path].toSorted((a, b) => a.length - b.length);
  const attempt = await takeLock(shortest, { pid: process.pid, startedAt: new Date() });
  if (attempt.kind === 'taken') return attempt.lock;
  const who = attempt.holder === null ? '' : ` (process ${attempt.holder.pid}, since ${attempt.holder.startedAt})`;
  throw new AishError('locked', `Another aish upgrade is working on this installation${who}. Wait until it has ended`);
}

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
  const signers = await signersOf(here.root);
  if (signers !== null) await checkSignature(here.releases, found, signers);
  const { version } = Manifest.parse(JSON.parse(await files.readFile(join(here.root, 'package.json'), 'utf8')));
  if (compareVersions(found.version, version) < 0) {
    throw new AishError(
      'invalid_body',
      `${address} is aish ${found.version}, but ${version} runs here. The database cannot go back; restore a backup instead`,
    );
  }
  const [commit = '', tree] = (await root.git(['rev-parse', 'HEAD', 'HEAD^{tree}']).catch(() => '')).split('\n');
  if (tree === found.tree) {
    note(io, `aish ${version} is the newest version of ${address}`);
    return null;
  }
  const older = await files.readFile(join(here.root, 'CHANGELOG.md'), 'utf8').catch(() => '');
  const changes = changesBetween(older, found.changelog).map(oneLine);
  const isOnlyCommit = found.version === version && commit !== '';
  const old = isOnlyCommit ? `${version} (${commit.slice(0, 12)})` : version;
  const signed =
    signers === null
      ? 'Nobody has checked who made it: this version knows no signers.'
      : 'A known signer has signed it.';
  const head = `aish ${old} → ${oneLine(found.version)} (${found.commit.slice(0, 12)})`;
  note(io, [head, signed, ...changes, ''].join('\n'));
  if (!isAgreed && !(await askYes(io, 'Upgrade now?'))) return null;
  const to = await here.prepare(found);
  const backup = await here.backUp(to);
  note(io, `Backup: ${backup}`);
  return wantedUpgrade(to, backup);
}

const Manifest = z.object({ version: z.string() });

function outcomeLines({ step, from, to, backup, why, came }: UpgradeJournal): readonly Line[] {
  if (step === 'done') return [line(`aish ${to.version} runs. The backup of before is ${backup}`, 'good')];
  const failed = to.version === from?.version ? 'the new commit' : to.version;
  return [
    line(`aish ${from?.version ?? ''} runs again, because ${failed} failed: ${oneLine(why ?? '')}`, 'bad'),
    ...(came.length === 0 ? [] : [line(`This came in after the copy. It is only in the database ${FAILED_DATABASE}:`)]),
    ...came.map((each) => line(`  ${oneLine(each)}`)),
  ];
}

/** Returns advice if this client stays as it is, because it is outside every checkout. */
function adviceAfter({ step, to }: UpgradeJournal): readonly Line[] {
  const program = ownProgram();
  if (step !== 'done' || to.version === VERSION || isOfCheckout(program)) return [];
  return versionAdvice(VERSION, to.version, program).map((text) => line(text));
}

const ownProgram = (): string => realpathSync(process.argv[1] ?? process.execPath);

function notHere(container: string | undefined): AishError {
  return new AishError(
    'invalid_config',
    container === undefined
      ? 'aish runs neither with npm start nor in Docker here. Run aish upgrade on the machine of the server: while npm ' +
          'start runs, or in the checkout from which you built the images. To compare versions: aish upgrade --check'
      : `There is no container ${container}`,
  );
}

async function compare(io: Io, { client, address }: Connected, isJson: boolean): Promise<void> {
  const server = oneLine((await client.call(healthApi.check, {}, io.signal)).version);
  const advice = versionAdvice(VERSION, server, ownProgram());
  if (isJson) return writeJson(io, { client: VERSION, server, advice });
  writeLines(io, [line(`aish ${VERSION} here, ${server} at ${address.url}`), ...advice.map((text) => line(text))]);
}
