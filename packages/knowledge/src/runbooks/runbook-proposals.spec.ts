import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { ToolContext } from '@aish/contracts/tools';
import type { Database } from '@aish/database/client';
import { openSuiteDatabase } from '@aish/database/testing/suite-database';
import { ScratchBase } from '../testing/index.js';
import { RunbookProposals } from './runbook-proposals.js';
import { RunbookTools } from './runbook.tools.js';
import { Runbooks } from './runbooks.js';

const CHAT = 'c0ffee00-0000-4000-8000-000000000001';
const context: ToolContext = { sessionId: CHAT, owner: 'ann', goalId: null };
const signal = new AbortController().signal;
const skill = (text: string, allowed = '') =>
  `---\nname: disk-full\ndescription: When a disk is full.\n${allowed === '' ? '' : `allowed-tools: ${allowed}\n`}---\n${text}\n`;
const OLD = skill('1. Look with `df`.\n2. Delete it.', 'Bash(df -h /)');
const NEW = skill('1. Look with `df`.\n2. Ask first.', 'Bash(df -h /)');

describe('proposals of models for runbooks', () => {
  let db: Database;
  let scratch: ScratchBase;
  let runbooks: Runbooks;
  let proposals: RunbookProposals;

  openSuiteDatabase((opened) => (db = opened), { max: 6 });
  beforeEach(async () => {
    await db.pool.query('truncate sessions, runbook_proposals, accepted_runbooks restart identity cascade');
    await db.pool.query(`insert into sessions (id, kind, title) values ($1, 'chat', 'c')`, [CHAT]);
    scratch = await ScratchBase.make();
    runbooks = new Runbooks(db, scratch.base);
    proposals = new RunbookProposals(db, runbooks);
    const files = { 'SKILL.md': OLD, 'scripts/look.sh': 'df -h\n' };
    const buffers = Object.entries(files).map(([path, content]) => [path, Buffer.from(content)] as const);
    await runbooks.put('ann', 'disk-full', new Map(buffers));
  }, 60_000);
  afterEach(() => scratch.remove());

  const propose = async (text: string, more: object = {}) => {
    const tools = new RunbookTools(db, runbooks, () => Promise.resolve());
    const args = JSON.stringify({ name: 'disk-full', text, why: 'it lost a file', ...more });
    return tools.call({ id: '1', name: 'runbook_propose', arguments: args }, context, signal);
  };
  const stored = () => scratch.git('show', 'HEAD:runbooks/disk-full/SKILL.md');
  const digest = async () => (await runbooks.show('disk-full')).digest;

  it('a proposal for a runbook changes nothing, and is shown as a diff', async () => {
    const head = scratch.git('rev-parse', 'HEAD');
    expect(await propose(NEW)).toMatchObject({ isError: false, text: expect.stringMatching(/^Proposed as p1\./) });
    expect(scratch.git('rev-parse', 'HEAD')).toBe(head);
    expect(await proposals.list()).toMatchObject([{ number: 1, name: 'disk-full', from: 'c1', state: 'pending' }]);
    const { diff, ...shown } = await proposals.show(1);
    expect(diff.split('\n').filter((line) => /^[-+]/.test(line))).toEqual(['-2. Delete it.', '+2. Ask first.']);
    expect(shown).toMatchObject({
      why: 'it lost a file',
      text: NEW,
      digest: await digest(),
      isStale: false,
      tools: { added: [], removed: [] },
      commands: { added: [], removed: [] },
      endsAcceptance: false,
    });
  });

  it('the person who accepts a proposal is its author, and the earlier acceptance of the runbook ends', async () => {
    await runbooks.accept('ann', 'disk-full', await digest());
    await propose(NEW);
    expect((await proposals.show(1)).endsAcceptance).toBe(true);
    const accepted = await proposals.accept('bob', 1, { digest: await digest() });
    expect([accepted.acceptedBy, accepted.commands]).toEqual([null, ['df -h /']]);
    expect(accepted.files.map(({ path }) => path)).toEqual(['SKILL.md', 'scripts/look.sh']);
    expect(stored()).toBe(NEW);
    const [author = '', ...message] = scratch.git('log', '-1', '--format=%an%n%B').trimEnd().split('\n');
    expect([author, ...message]).toEqual([
      'bob',
      'runbook: disk-full',
      '',
      'it lost a file',
      '',
      'Proposed by a model in c1, accepted by bob',
    ]);
    expect(await proposals.list()).toEqual([]);
    await expect(proposals.accept('ann', 1, { digest: await digest() })).rejects.toMatchObject({
      code: 'candidate_taken',
    });
    await expect(proposals.reject('ann', 1)).rejects.toMatchObject({ code: 'candidate_taken' });
  });

  it('a person can accept a proposal with another text, and faults are refused', async () => {
    await propose(NEW);
    const wrong = proposals.accept('bob', 1, { digest: await digest(), text: 'no fields' });
    await expect(wrong).rejects.toMatchObject({ code: 'runbook_faulty' });
    const mine = skill('Ask ann.');
    await proposals.accept('bob', 1, { digest: await digest(), text: mine });
    expect(stored()).toBe(mine);
    expect(scratch.git('log', '-1', '--format=%B')).toContain('accepted in other words by bob');
  });

  it('a proposal shows the permissions that it adds and removes', async () => {
    const { text } = await propose(skill('Look.', 'Bash(rm -rf /var/log) kb.query'));
    expect(text).toContain('asks to use other tools or commands');
    expect(await proposals.show(1)).toMatchObject({
      tools: { added: ['kb.query'], removed: [] },
      commands: { added: ['rm -rf /var/log'], removed: ['df -h /'] },
    });
  });

  it('a proposal is not accepted if the runbook has changed since it was shown', async () => {
    await propose(NEW);
    const before = await digest();
    await runbooks.put('ann', 'disk-full', new Map([['SKILL.md', Buffer.from(skill('Call me.'))]]));
    expect((await proposals.show(1)).isStale).toBe(true);
    await expect(proposals.accept('bob', 1, { digest: before })).rejects.toMatchObject({ code: 'version_changed' });
    expect(stored()).toBe(skill('Call me.'));
    expect((await proposals.list()).map(({ number }) => number)).toEqual([1]);
    await proposals.accept('bob', 1, { digest: await digest() });
    expect(stored()).toBe(NEW);
  });

  it('a proposal can create a new runbook', async () => {
    const text = NEW.replace('disk-full', 'disk-slow');
    await propose(text, { name: 'disk-slow' });
    expect(await proposals.show(1)).toMatchObject({ digest: null, commands: { added: ['df -h /'], removed: [] } });
    await proposals.accept('bob', 1, { digest: null });
    expect((await runbooks.show('disk-slow')).acceptedBy).toBeNull();
  });

  it.each([
    ['a secret', { text: skill('password = "ghp_aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3zA5"') }, /secret/],
    ['a secret in its reason', { text: NEW, why: 'token ghp_aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3zA5' }, /secret/],
    ['what is no runbook', { text: 'Look.' }, /does not begin with ---/],
    ['the name of another', { text: NEW.replace('disk-full', 'other') }, /its folder is disk-full/],
    ['characters that nobody sees', { text: skill('rm\u202e x') }, /invisible/],
    ['what it says already', { text: OLD }, /already says this/],
    ['no reason', { text: NEW, why: ' ' }, /why/],
    ['a name that is a path', { text: NEW, name: '../x' }, /lowercase letters/],
  ])('a proposal with %s is refused', async (_, input, why) => {
    expect(await propose(input.text, input)).toMatchObject({ isError: true, text: expect.stringMatching(why) });
    expect(await proposals.list()).toEqual([]);
  });

  it('at most three proposals wait, and repeated or rejected texts are not added again', async () => {
    const many = await Promise.all(['a', 'b', 'c', 'a'].map((each) => propose(skill(each))));
    expect(many.filter(({ isError }) => isError)).toEqual([]);
    expect(await propose(skill('d'))).toMatchObject({
      isError: true,
      text: expect.stringContaining('3 of its proposals'),
    });
    expect(await proposals.list()).toHaveLength(3);
    const [first] = await proposals.list();
    const { text } = await proposals.show(first?.number ?? 0);
    expect((await propose(text)).text).toContain(`Proposed as p${first?.number}.`);
    await proposals.reject('bob', first?.number ?? 0);
    expect(await propose(text)).toMatchObject({ isError: true, text: expect.stringContaining('already rejected') });
    expect(stored()).toBe(OLD);
  });

  it('only one of two people can accept a proposal', async () => {
    await propose(NEW);
    const at = await digest();
    const both = await Promise.allSettled(['ann', 'bob'].map((by) => proposals.accept(by, 1, { digest: at })));
    expect(both.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
    expect(scratch.git('log', '--format=%s', '--', 'runbooks/disk-full').trim().split('\n')).toHaveLength(2);
  });

  it('runbook_read returns the stored text of a runbook on request', async () => {
    const tools = new RunbookTools(db, runbooks, () => Promise.resolve());
    const args = '{"name":"disk-full","source":true}';
    expect((await tools.call({ id: '1', name: 'runbook_read', arguments: args }, context, signal)).text).toBe(OLD);
  });
});
