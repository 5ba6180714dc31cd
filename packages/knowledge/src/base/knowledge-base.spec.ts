import { execFileSync } from 'node:child_process';
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { dirname, join } from 'node:path';
import { afterEach, describe, expect, it } from '@jest/globals';
import { KnowledgeQuery } from '@aish/contracts/knowledge';
import type { KnowledgeDoctorReport } from '@aish/contracts/knowledge-upkeep';
import { scopeOf } from '../query/access.js';
import { ScratchBase } from '../testing/scratch-base.js';
import { SilentRemote } from '../testing/silent-remote.js';
import { KnowledgeBase } from './knowledge-base.js';
import { GOOD_NODE, WHOLE } from '../testing/fatal-fixtures.js';

const ME = { name: 'craig', scope: null };
const ask = (text: string) => KnowledgeQuery.parse({ text });
let scratch: ScratchBase;
afterEach(() => scratch.remove());

const detail = ({ checks }: KnowledgeDoctorReport, name: string): string => {
  const check = checks.find((each) => each.name === name);
  return `${check?.state}: ${check?.detail}`;
};

describe('remember', () => {
  it('remember writes one commit with the node, the index and the raw file, and leaves no other changes', async () => {
    scratch = await ScratchBase.make();
    const made = await scratch.base.remember(
      {
        title: 'Push failures [must] be seen',
        summary: 'In three places.',
        types: ['principle'],
        projects: ['emacs'],
        raw: [{ name: 'chat.txt', text: 'said so' }],
      },
      ME,
    );
    const files = scratch
      .git('show', '--name-only', '--format=%an: %s', 'HEAD')
      .trim()
      .split('\n')
      .filter(Boolean)
      .toSorted();
    expect(files).toEqual([
      'craig: remember: Push failures [must] be seen',
      'index.org',
      made.path,
      expect.stringMatching(/^raw\/\d{14}-.+-chat\.txt$/),
    ]);
    expect([scratch.status(), (await scratch.base.lint()).findings]).toEqual(['', []]);
    expect((await scratch.base.query(ask('failures'), null)).items).toMatchObject([
      { id: made.id, sources: [files[3]] },
    ]);
  });

  it('remember changes the given fields and keeps all other text of the file', async () => {
    scratch = await ScratchBase.make();
    const odd = WHOLE.replace(':END:', ':ROAM_ALIASES: "kb"\n:END:').replace(
      '#+filetags: :principle:',
      '#+startup: overview\n#+filetags: :principle:mine:',
    );
    scratch.commitByHand({
      [GOOD_NODE.path]: GOOD_NODE.text,
      'kb/odd.org': `${odd}\n* TODO Later :tag:\nDEADLINE: <2026-06-01 Mon>\n#+begin_src sh :results none\n  ls\n#+end_src\n`,
    });
    await scratch.base.remember(
      { id: '3f0c9a52-5a5e-4d0c-9a5e-2f8b1d3c4e5f', title: 'Changed', types: ['reference'], status: 'contested' },
      ME,
    );
    const before = scratch.git('show', 'HEAD~1:kb/odd.org').split('\n');
    const after = scratch.git('show', 'HEAD:kb/odd.org').split('\n');
    expect(after.filter((line) => !before.includes(line)).map((line) => line.replace(/\[.*\]/, '[now]'))).toEqual([
      ':UPDATED:      [now]',
      ':STATUS:       contested',
      '#+title: Changed',
      '#+filetags: :reference:mine:',
    ]);
    expect(before.filter((line) => !after.includes(line))).toHaveLength(3);
  });

  it('remember refuses to write if others have changed files, tracked or not, or switched the branch', async () => {
    scratch = await ScratchBase.make({ isWatching: true });
    await scratch.base.remember({ title: 'First' }, ME);
    for (const path of ['nodes/stray.org', 'index.org']) {
      scratch.write({ [path]: 'mine' });
      await expect(scratch.base.remember({ title: 'Second' }, ME)).rejects.toMatchObject({
        code: 'knowledge_dirty',
        facts: { paths: [path] },
      });
      expect(readFileSync(join(scratch.dir, path), 'utf8')).toBe('mine');
      scratch.git('checkout', '--quiet', '.');
      scratch.git('clean', '-fdq');
    }
    scratch.git('switch', '--quiet', '--create', 'other');
    await expect(scratch.base.remember({ title: 'Second' }, ME)).rejects.toMatchObject({ code: 'knowledge_invalid' });
    scratch.git('switch', '--quiet', 'main');
    await scratch.base.remember({ title: 'Second' }, ME);
    expect(scratch.status()).toBe('');
  });

  it.each([
    ['with a missing row', (text: string) => text.replace(/^\| \[\[file:.*First.*\n/m, '')],
    ['with another summary', (text: string) => text.replace('About the first.', 'Somebody else’s words.')],
    ['without a project', (text: string) => text.replace('- emacs\n', '')],
    ['with other content', () => 'mine\n'],
    ['as a deletion', () => null],
  ])('remember corrects an index that somebody committed %s', async (_name, harm) => {
    scratch = await ScratchBase.make();
    const { base } = scratch;
    await base.remember({ title: 'First', summary: 'About the first.', projects: ['emacs'] }, ME);
    const index = join(scratch.dir, 'index.org');
    const changed = harm(readFileSync(index, 'utf8'));
    if (changed === null) rmSync(index);
    scratch.commitByHand(changed === null ? {} : { 'index.org': changed });
    expect((await base.lint()).ok).toBe(false);
    await base.remember({ title: 'Second' }, ME);
    expect([(await base.lint()).findings.filter(({ fatal }) => fatal), scratch.status()]).toEqual([[], '']);
    expect(scratch.git('log', '--format=%s').split('\n').slice(0, 2)).toEqual([
      'remember: Second',
      'index: regenerate from the nodes',
    ]);
  });

  it('remember accepts a correct index, even if its layout is different', async () => {
    scratch = await ScratchBase.make({ hasRemote: true });
    await scratch.base.push({ again: false });
    const other = await scratch.clone('other');
    const { id } = await other.remember({ title: 'From elsewhere', projects: ['emacs'] }, ME);
    await other.push({ again: false });
    await scratch.base.remember({ title: 'From here' }, ME);
    await scratch.base.push({ again: false });
    // `kb sync --files` drops the unused project, which a normal write keeps.
    await other.remember({ id: id ?? '', projects: ['general'] }, ME);
    expect(await other.regenerateIndex()).toEqual(expect.any(String));
    await other.push({ again: false });
    await scratch.base.remember({ title: 'Last' }, ME);
    const subjects = scratch.git('log', '--format=%an %s').trim().split('\n');
    expect(subjects.filter((line) => line.includes('index: regenerate'))).toHaveLength(1);
    expect([(await scratch.base.lint()).ok, scratch.status()]).toEqual([true, '']);
  });

  it('remember finishes the work of a writer that was killed after it moved the branch and before it updated the files', async () => {
    scratch = await ScratchBase.make();
    const { base } = scratch;
    const { path = '' } = (await base.remember({ title: 'Whole' }, ME)) as { path?: string };
    const [from, to] = scratch.git('rev-parse', 'HEAD~1', 'HEAD').trim().split('\n') as [string, string];
    // The branch has moved, the files have not been updated, and git's own lock still exists.
    scratch.git('reset', '--quiet', '--hard', from);
    scratch.git('update-ref', 'refs/heads/main', to);
    await base.repository.journal.write({ from, to, paths: [path, 'index.org'] });
    writeFileSync(join(scratch.dir, '.git/index.lock'), '');
    expect(scratch.status()).not.toBe('');
    await base.remember({ title: 'Next' }, ME);
    expect([scratch.status(), (await base.lint()).findings.filter(({ fatal }) => fatal)]).toEqual(['', []]);
    expect(scratch.git('log', '--format=%s').trim().split('\n').slice(0, 2)).toEqual([
      'remember: Next',
      'remember: Whole',
    ]);
  });

  it('remember works after git was killed and left its locks behind', async () => {
    scratch = await ScratchBase.make({ hasRemote: true });
    const { base } = scratch;
    await base.remember({ title: 'First' }, ME);
    mkdirSync(join(scratch.dir, '.git/refs/aish'), { recursive: true });
    writeFileSync(join(scratch.dir, '.git/refs/aish/pending.lock'), '');
    const { commit } = await base.remember({ title: 'Second' }, ME);
    expect(commit).toBe(scratch.git('rev-parse', 'HEAD').trim());
    // git was killed while it moved the branch. It locks its packed refs for that, too.
    await base.repository.journal.write({ from: commit, to: '0'.repeat(40), paths: [] });
    for (const lock of ['packed-refs.lock', 'refs/heads/main.lock', 'refs/aish/pending.lock']) {
      writeFileSync(join(scratch.dir, '.git', lock), '');
    }
    await base.remember({ title: 'Third' }, ME);
    // git was killed while it read its index and made the commit. Nothing has moved, and git's locks still exist.
    const head = scratch.git('rev-parse', 'HEAD').trim();
    await base.repository.journal.write({ from: head, to: null, paths: [] });
    for (const lock of ['index.lock', 'refs/aish/pending.lock']) writeFileSync(join(scratch.dir, '.git', lock), '');
    await base.recover();
    expect([scratch.git('rev-parse', 'HEAD').trim(), scratch.status(), await base.repository.journal.read()]).toEqual([
      head,
      '',
      null,
    ]);
    // git was killed during a fetch, longer ago than any fetch takes.
    const fetching = join(scratch.dir, '.git/refs/remotes/origin/main.lock');
    mkdirSync(dirname(fetching), { recursive: true });
    writeFileSync(fetching, '');
    utimesSync(fetching, new Date(0), new Date(0));
    await base.push({ again: false });
    const other = await scratch.clone('other');
    await other.remember({ title: 'From elsewhere' }, ME);
    await other.push({ again: false });
    expect((await base.remember({ title: 'Fourth' }, ME)).notes).toEqual([]);
    expect(scratch.git('log', '--format=%s')).toContain('From elsewhere');
    expect(scratch.status()).toBe('');
  });

  it('a commit that is aborted or fails in git leaves git’s index unchanged', async () => {
    scratch = await ScratchBase.make();
    const { repository, checkout } = scratch.base;
    const head = await scratch.base.mustHead();
    const input = { changes: new Map([['a.org', Buffer.from('a')]]), message: 'a', author: 'me', now: new Date() };
    const index = readFileSync(join(scratch.dir, '.git/index'));
    const locked = openSync(join(repository.stateDir, 'lock'), 'a');
    try {
      const aborted = { lockFd: locked, signal: AbortSignal.abort() };
      await expect(checkout.commit({ ...input, parent: head }, aborted)).rejects.toMatchObject({ code: 'aborted' });
      // Somebody else has moved the branch.
      const held = { lockFd: locked, signal: new AbortController().signal };
      const past = { ...input, parent: null };
      await expect(checkout.commit(past, held)).rejects.toMatchObject({ code: 'knowledge_git' });
    } finally {
      closeSync(locked);
    }
    expect(readFileSync(join(scratch.dir, '.git/index')).equals(index)).toBe(true);
    expect([existsSync(join(scratch.dir, '.git/index.lock')), await repository.journal.read()]).toEqual([false, null]);
    expect([await scratch.base.mustHead(), scratch.status()]).toEqual([head, '']);
  });

  it('remember runs one caller at a time, and a caller can abort', async () => {
    scratch = await ScratchBase.make({ lockWaitMs: 60_000 });
    await Promise.all(Array.from({ length: 4 }, (_, n) => scratch.base.remember({ title: `Node ${n}` }, ME)));
    expect((await scratch.base.query(ask('node'), null)).items).toHaveLength(4);
    expect(scratch.git('rev-list', '--count', 'HEAD').trim()).toBe('5');
    await expect(scratch.base.remember({ title: 'x' }, ME, AbortSignal.abort())).rejects.toMatchObject({
      code: 'aborted',
    });
    expect(scratch.status()).toBe('');
  });
});

describe('the remote of a knowledge base', () => {
  it('a write follows the remote if it can, and reports an unreachable or diverged remote', async () => {
    scratch = await ScratchBase.make({ hasRemote: true });
    const { base } = scratch;
    expect(await base.push({ again: false })).toMatchObject({ outcome: 'pushed' });
    const other = await scratch.clone('other');
    await other.remember({ title: 'From elsewhere' }, ME);
    await other.push({ again: false });
    expect(detail(await base.doctor(), 'sync')).toBe('ok: behind the remote; the next write updates it');
    // The remote has moved, so the write follows it first, and the new commits are indexed.
    await base.remember({ title: 'From here' }, ME);
    expect((await base.query(ask(''), null)).items.map(({ title }) => title).toSorted()).toEqual([
      'From elsewhere',
      'From here',
    ]);
    expect(detail(await base.doctor(), 'sync')).toBe('ok: ahead 1');

    // The remote is unreachable. The write succeeds, and the push fails with the reason.
    renameSync(scratch.remote, `${scratch.remote}.away`);
    const written = await base.remember({ title: 'Alone' }, ME);
    expect([written.commit, written.notes]).toEqual([
      scratch.git('rev-parse', 'HEAD').trim(),
      [expect.stringContaining('could not be reached')],
    ]);
    expect(await base.push({ again: false })).toMatchObject({ outcome: 'unreachable' });
    const away = await base.doctor();
    expect([detail(away, 'remote'), detail(away, 'push')]).toEqual([
      expect.stringMatching(/^failed: remote unreachable/),
      expect.stringMatching(/^failed: push unreachable/),
    ]);
    renameSync(`${scratch.remote}.away`, scratch.remote);

    // The remote rejected the push because somebody else was first. aish does not try again until a person has looked
    // at it.
    await other.remember({ title: 'Of somebody else' }, ME);
    await other.push({ again: false });
    const head = scratch.git('rev-parse', 'HEAD');
    expect(await base.push({ again: false })).toMatchObject({ outcome: 'rejected' });
    expect(await base.push({ again: false })).toMatchObject({ outcome: 'waiting' });
    const parted = await base.doctor();
    expect([detail(parted, 'sync'), detail(parted, 'push')]).toEqual([
      expect.stringMatching(/^failed: remote diverged: 2 commits here/),
      expect.stringMatching(/^failed: push rejected/),
    ]);
    await expect(base.remember({ title: 'More' }, ME)).rejects.toMatchObject({ code: 'knowledge_diverged' });
    expect([scratch.git('rev-parse', 'HEAD'), scratch.status(), (await base.syncState()).diverged]).toEqual([
      head,
      '',
      true,
    ]);

    // After a merge by hand, pushes continue automatically.
    scratch.git('checkout', '--quiet', '-B', 'main', 'origin/main');
    expect(await base.push({ again: false })).toMatchObject({ outcome: 'pushed' });
    expect((await base.syncState()).pushFailure).toBeNull();
  }, 120_000);

  it('writes do not contact an unresponsive remote again until some time has passed or a push succeeds', async () => {
    let connections = 0;
    const open = new Set<Socket>();
    const swallowing = createServer((socket) => {
      connections += 1;
      open.add(socket.on('error', () => undefined));
    });
    await once(swallowing.listen(0, '127.0.0.1'), 'listening');
    let now = new Date('2026-06-01T00:00:00Z');
    scratch = await ScratchBase.make({ now: () => now });
    const { base } = scratch;
    const asks = async (by: KnowledgeBase): Promise<[isAsked: boolean, notes: string]> => {
      const before = connections;
      const { commit, notes } = await by.remember({ title: `At ${before}` }, ME);
      expect(commit).toBe(scratch.git('rev-parse', 'HEAD').trim());
      return [connections > before, notes.join()];
    };
    try {
      scratch.git('remote', 'add', 'origin', `http://127.0.0.1:${(swallowing.address() as AddressInfo).port}/kb.git`);
      const began = performance.now();
      expect(await asks(base)).toEqual([true, expect.stringContaining('could not be reached')]);
      // The wait takes about a second, and does not last until git gives up.
      expect(performance.now() - began).toBeLessThan(6_000);
      expect(await asks(base)).toEqual([false, expect.stringContaining('tries again')]);
      // Another process does not wait either.
      const other = new KnowledgeBase({ dir: scratch.dir, env: process.env, now: () => now });
      expect(await asks(other)).toEqual([false, expect.stringContaining('tries again')]);
      now = new Date(now.getTime() + 3_600_000);
      expect((await asks(base))[0]).toBe(true);
      expect((await asks(base))[0]).toBe(false);
      // The remote is available again, and the next push reaches it.
      scratch.git('remote', 'set-url', 'origin', scratch.remote);
      expect(await base.push({ again: false })).toMatchObject({ outcome: 'pushed' });
      const elsewhere = await scratch.clone('elsewhere');
      await elsewhere.remember({ title: 'From elsewhere' }, ME);
      await elsewhere.push({ again: false });
      expect((await base.remember({ title: 'Last' }, ME)).notes).toEqual([]);
      expect(scratch.git('log', '--format=%s')).toContain('From elsewhere');
    } finally {
      for (const socket of open) socket.destroy();
      swallowing.close();
    }
  }, 60_000);

  it('a push to a remote that hangs does not block writes, and no second push starts', async () => {
    const silent = await SilentRemote.start();
    scratch = await ScratchBase.make();
    const { base } = scratch;
    try {
      scratch.git('remote', 'add', 'origin', silent.url);
      const pushing = base.push({ again: false }).catch((error: unknown) => error);
      await silent.reached();
      const began = performance.now();
      for (const title of ['First', 'Second', 'Third']) {
        expect((await base.remember({ title }, ME)).commit).toBe(scratch.git('rev-parse', 'HEAD').trim());
      }
      // The first write asks the remote for about a second.
      expect(performance.now() - began).toBeLessThan(10_000);
      const connections = silent.connections;
      // The same is true for another process, which a timer starts.
      const other = new KnowledgeBase({ dir: scratch.dir, env: process.env });
      for (const each of [base, other]) {
        expect(await each.push({ again: false })).toMatchObject({
          outcome: 'waiting',
          detail: expect.stringMatching(/another push/),
        });
      }
      expect(silent.connections).toBe(connections);
      base.close();
      expect(await pushing).toMatchObject({ code: 'aborted' });
      // Another push may start now, because nothing blocks it any more.
      await silent.left();
      const again = other.push({ again: false }).catch((error: unknown) => error);
      await silent.reached();
      other.close();
      expect(await again).toMatchObject({ code: 'aborted' });
    } finally {
      await silent.stop();
    }
  }, 60_000);

  it('a remote that has rejected a push and then hangs does not block writes', async () => {
    scratch = await ScratchBase.make({ hasRemote: true });
    const { base } = scratch;
    await base.push({ again: false });
    const other = await scratch.clone('other');
    await other.remember({ title: 'From elsewhere' }, ME);
    await other.push({ again: false });
    scratch.commitByHand({ 'notes.txt': 'by hand' });
    // The remote rejects the push, and answers no fetch after that.
    const silent = await SilentRemote.start();
    try {
      scratch.git('remote', 'set-url', '--push', 'origin', scratch.remote);
      scratch.git('remote', 'set-url', 'origin', silent.url);
      const pushing = base.push({ again: false });
      await silent.reached();
      const began = performance.now();
      expect((await base.remember({ title: 'Not kept from it' }, ME)).commit).not.toBeNull();
      expect(performance.now() - began).toBeLessThan(6_000);
      expect(await pushing).toMatchObject({ outcome: 'rejected' });
    } finally {
      await silent.stop();
    }
  }, 60_000);

  it('writes and pushes can run at the same time, and the last push sends every commit', async () => {
    scratch = await ScratchBase.make({ hasRemote: true });
    const { base } = scratch;
    await base.push({ again: false });
    const writes = Array.from({ length: 6 }, (_, n) => base.remember({ title: `Node ${n}` }, ME));
    const pushes = await Promise.all(Array.from({ length: 3 }, () => base.push({ again: true })));
    expect(pushes.every(({ outcome }) => outcome === 'pushed' || outcome === 'nothing')).toBe(true);
    for (const { commit } of await Promise.all(writes))
      scratch.git('merge-base', '--is-ancestor', commit ?? '', 'HEAD');
    await base.push({ again: false });
    expect(await base.syncState()).toMatchObject({ ahead: 0, behind: 0, pushFailure: null });
    expect(scratch.git('--git-dir', scratch.remote, 'rev-parse', 'main')).toBe(scratch.git('rev-parse', 'HEAD'));
  }, 60_000);

  it('a push moves separate entries of git’s index into the shared part', async () => {
    scratch = await ScratchBase.make({ hasRemote: true });
    const shared = () => readdirSync(join(scratch.dir, '.git')).filter((name) => name.startsWith('sharedindex.'));
    scratch.git('config', 'splitIndex.maxPercentChange', '100');
    const before = shared();
    await scratch.base.remember({ title: 'First' }, ME);
    expect(shared()).toEqual(before);
    await scratch.base.push({ again: false });
    expect(shared().filter((name) => !before.includes(name))).toHaveLength(1);
    expect([scratch.status(), await scratch.base.repository.journal.read()]).toEqual(['', null]);
  });
});

describe('init', () => {
  it('init creates, adopts and clones repositories, and a second call changes nothing', async () => {
    scratch = await ScratchBase.make({ hasRemote: true });
    expect((await scratch.base.init(scratch.remote)).outcome).toBe('unchanged');
    await scratch.base.push({ again: false });
    const other = await scratch.clone('other');
    expect([await other.mustHead(), (await other.doctor()).ok]).toEqual([await scratch.base.mustHead(), true]);
    // The existing file stays unchanged. Missing files come in a separate commit.
    rmSync(join(scratch.root, 'other'), { recursive: true });
    execFileSync('git', ['init', '--quiet', '--initial-branch=main', join(scratch.root, 'other')]);
    writeFileSync(join(scratch.root, 'other', 'README.org'), 'mine');
    await expect(other.init()).resolves.toMatchObject({ outcome: 'made' });
    expect(readFileSync(join(scratch.root, 'other', 'README.org'), 'utf8')).toBe('mine');
  });
});

describe('operations for people only', () => {
  it('merge, split, supersede and delete each apply exactly their plan in one commit, and update links', async () => {
    scratch = await ScratchBase.make();
    const { base } = scratch;
    const make = async (title: string, more = {}) =>
      (await base.remember({ title, summary: `About ${title}.`, ...more }, ME)).id ?? '';
    const target = await make('Target');
    const doubled = await make('Doubled', { body: '* Part\nText with =[[id:x]]=.\n', projects: ['emacs'] });
    const linking = await make('Linking', { links: [{ relation: 'IMPLEMENTS', id: doubled }] });
    const commits = () => Number(scratch.git('rev-list', '--count', 'HEAD'));
    const before = commits();

    const merge = { kind: 'merge' as const, into: target, from: [doubled] };
    const plan = await base.plan(merge, ME);
    expect([plan.changes.map(({ change }) => change).toSorted(), plan.repointed, commits()]).toEqual([
      ['change', 'change', 'remove'],
      1,
      before,
    ]);
    await base.remember({ id: linking, summary: 'Changed after the plan.' }, ME);
    await expect(base.apply(plan.planId, merge, ME)).rejects.toMatchObject({ code: 'knowledge_plan_changed' });
    await base.apply((await base.plan(merge, ME)).planId, merge, ME);
    expect((await base.read(target, null)).backlinks).toMatchObject([{ relation: 'IMPLEMENTS', id: linking }]);
    expect(await base.read(target, null)).toMatchObject({
      projects: ['general', 'emacs'],
      body: expect.stringContaining('* Doubled\nAbout Doubled.\n\n** Part'),
    });

    const split = { kind: 'split' as const, id: target, headlines: [] };
    await base.apply((await base.plan(split, ME)).planId, split, ME);
    const part = (await base.query(ask('Doubled'), null)).items[0]?.id ?? '';
    expect((await base.read(part, null)).links).toEqual([{ relation: 'DERIVED_FROM', id: target, title: 'Target' }]);

    const supersede = { kind: 'supersede' as const, id: target, by: linking };
    await base.apply((await base.plan(supersede, ME)).planId, supersede, ME);
    expect([(await base.read(target, null)).status, (await base.read(linking, null)).links]).toEqual([
      'superseded',
      [{ relation: 'SUPERSEDES', id: target, title: 'Target' }],
    ]);
    const remove = { kind: 'delete' as const, id: target };
    await base.apply((await base.plan(remove, ME)).planId, remove, ME);
    await expect(base.read(target, null)).rejects.toMatchObject({ code: 'not_found' });
    expect([commits(), scratch.status(), (await base.lint()).findings.filter(({ fatal }) => fatal)]).toEqual([
      before + 5,
      '',
      [],
    ]);
  }, 60_000);
});

describe('suspected secrets in nodes', () => {
  it('a suspected secret is refused until a person allows this text in this node, and the permission is recorded', async () => {
    scratch = await ScratchBase.make();
    const { base } = scratch;
    const example = (mark: string) => `ghp_${`a1B2c3D4e5${mark}6`.repeat(3)}`;
    const node = { title: 'How a key looks', body: `As in ${example('F')}.` };
    await expect(base.remember(node, ME)).rejects.toMatchObject({ code: 'knowledge_lint' });
    const { id, warnings } = await base.remember({ ...node, allowSecrets: true }, ME);
    expect(warnings).toMatchObject([
      { code: 'secret-suspected', message: expect.stringMatching(/which a person allowed$/) },
    ]);
    expect(scratch.git('log', '-1', '--format=%B')).toMatch(/^craig lets through: .*\(github\)$/m);
    expect((await base.lint()).ok).toBe(true);
    // Later edits keep the permission. Another secret is refused, and so is the same one in another node.
    await base.remember({ id: id ?? '', summary: 'For the docs.' }, ME);
    await expect(base.remember({ ...node, title: 'Another' }, ME)).rejects.toMatchObject({ code: 'knowledge_lint' });
    await expect(base.remember({ id: id ?? '', body: example('G') }, ME)).rejects.toMatchObject({
      code: 'knowledge_lint',
    });
    const into = (await base.remember({ title: 'Keys' }, ME)).id ?? '';
    const merge = { kind: 'merge' as const, into, from: [id ?? ''] };
    await base.apply((await base.plan(merge, ME)).planId, merge, ME);
    expect((await base.lint()).ok).toBe(true);
    const raw = [{ name: 'x.txt', text: example('F') }];
    await expect(base.remember({ title: 'x', raw, allowSecrets: true }, ME)).rejects.toMatchObject({
      code: 'knowledge_lint',
    });
  });
});

describe('visibility of nodes', () => {
  it('readers and writers of the knowledge base are limited to their projects', async () => {
    scratch = await ScratchBase.make();
    const { base } = scratch;
    const emacs = { name: 'emacs-app', scope: ['emacs'] };
    await base.remember({ title: 'Open to all', projects: ['general'] }, ME);
    await base.remember({ title: 'Of the owner', projects: ['general'], visibility: 'private' }, ME);
    const own = await base.remember({ title: 'Of emacs', visibility: 'private' }, emacs);
    const other = await base.remember({ title: 'Of another', projects: ['deepsat'] }, ME);
    const seen = (await base.query(ask(''), emacs.scope)).items.map(({ title }) => title).toSorted();
    expect(seen).toEqual(['Of emacs', 'Open to all']);
    expect((await base.read(own.id ?? '', emacs.scope)).projects).toEqual(['emacs']);
    await expect(base.read(other.id ?? '', emacs.scope)).rejects.toMatchObject({ code: 'not_found' });
    await expect(base.remember({ id: other.id ?? '', title: 'Mine' }, emacs)).rejects.toMatchObject({
      code: 'not_found',
    });
    await expect(base.remember({ title: 'x', projects: ['deepsat'] }, emacs)).rejects.toMatchObject({
      code: 'forbidden',
    });
  });

  it("a private node is visible only to its owner's tokens", async () => {
    scratch = await ScratchBase.make();
    const { base } = scratch;
    const of = (name: string, owner: string) => ({ name, owner, scope: scopeOf({ name, owner, projects: null }) });
    const [anna, phone, ben] = [of('anna', 'anna'), of('phone', 'anna'), of('ben', 'ben')];
    const write = async (title: string, caller: typeof anna) =>
      (await base.remember({ title, visibility: 'private' }, caller)).id ?? '';
    const [hers, fromPhone] = [await write('Of Anna', anna), await write('From her phone', phone)];
    const shared = (await base.remember({ title: 'Of all' }, ben)).id ?? '';
    for (const id of [hers, fromPhone]) {
      for (const reader of [anna, phone]) expect((await base.read(id, reader.scope)).id).toBe(id);
      await expect(base.read(id, ben.scope)).rejects.toMatchObject({ code: 'not_found' });
      for (const kind of ['delete', 'curated'] as const) {
        await expect(base.plan({ kind, id }, ben)).rejects.toMatchObject({ code: 'not_found' });
      }
      await expect(base.remember({ id, visibility: 'shared' }, ben)).rejects.toMatchObject({ code: 'not_found' });
    }
    expect((await base.query(ask(''), ben.scope)).items.map(({ title }) => title)).toEqual(['Of all']);
    // The person who makes a node private owns it. After a merge, the content belongs to the same owner.
    await base.remember({ id: shared, visibility: 'private' }, phone);
    await expect(base.read(shared, ben.scope)).rejects.toMatchObject({ code: 'not_found' });
    const open = (await base.remember({ title: 'Open' }, ben)).id ?? '';
    const merge = { kind: 'merge' as const, into: open, from: [fromPhone] };
    await base.apply((await base.plan(merge, anna)).planId, merge, anna);
    await expect(base.read(open, ben.scope)).rejects.toMatchObject({ code: 'not_found' });
    expect((await base.read(fromPhone, phone.scope)).id).toBe(open);
  });

  it('a plan or a link of another person reveals nothing about a private node', async () => {
    scratch = await ScratchBase.make();
    const { base } = scratch;
    const of = (name: string) => ({ name, owner: name, scope: scopeOf({ name, owner: name, projects: null }) });
    const [anna, ben] = [of('anna'), of('ben')];
    const write = async (input: object) => (await base.remember({ title: 'Debts', ...input }, anna)).id ?? '';
    const [old, next] = [await write({ title: 'Old' }), await write({ title: 'Next' })];
    const raw = [{ name: 'debts.txt', text: 'to Carla' }];
    const links = [{ relation: 'RELATES_TO' as const, id: old }];
    const hers = await write({ visibility: 'private', body: `It was ${old}.`, links, raw });
    const merge = { kind: 'merge' as const, into: next, from: [old] };
    const plan = await base.plan(merge, ben);
    expect([plan.repointed, plan.changes.length, plan.warnings]).toEqual([
      1,
      3,
      ['a node that you may not see will still name an ID that is removed'],
    ]);
    expect(JSON.stringify(plan)).not.toMatch(/debts/i);
    expect((await base.plan(merge, anna)).warnings).toEqual(['Debts will still name an ID that is removed']);
    await base.apply(plan.planId, merge, ben);
    expect((await base.read(hers, anna.scope)).links).toMatchObject([{ id: next }]);
    const [path = ''] = scratch.git('ls-files', 'raw').trim().split('\n');
    await expect(base.plan({ kind: 'delete-raw', path }, ben)).rejects.toMatchObject({ code: 'not_found' });
    const linking = await base.remember({ title: 'Of Ben', links: [{ relation: 'RELATES_TO', id: hers }] }, ben);
    expect((await base.read(linking.id ?? '', ben.scope)).source).not.toContain('Debts');
  });
});
