import { chmod, mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ChangeList } from '@aish/contracts/effects';
import { CreateGoal, Goal } from '@aish/contracts/goals';
import { afterAll, describe, expect, it } from '@jest/globals';
import { eventually } from '../../support/eventually.js';
import { plan, plans } from '../../support/plan.js';
import { verifies } from '../../requirements.js';
import { scriptedStack } from '../../support/scripted-stack.js';

/** A goal overwrites a person's file this many times while others read the workspace. */
const WATCHED = 3;
const OCTETS = { 'content-type': 'application/octet-stream' };

describe('commands that destroy files although their text does not show it', () => {
  let folder: string;
  let open: string;
  const running = scriptedStack(
    plans({
      tidy: plan(
        'CMD: rm -f none',
        'CMD: cp /etc/passwd old; cd /tmp',
        'CMD: pwd; cat /workspace/old',
        'GOAL: complete',
      ),
      report: plan(
        'CMD: echo hi > new.txt',
        'CMD: cat > report.md <<EOF\nall is well\nEOF',
        'CMD: ls | tee list',
        'CMD: mv new.txt newer.txt && cp -f report.md newer.txt',
        'CMD: echo again > report.md; sort -o list list; cat newer.txt report.md',
        'GOAL: complete',
      ),
      film: plan(
        'CMD: rm -f /mnt/media/song; echo new > /mnt/media/new',
        'CMD: cp /etc/hostname /mnt/media/film',
        'GOAL: complete',
      ),
      trusted: plan('CMD: echo new > /mnt/media/fresh', 'CMD: rm /mnt/media/film', 'GOAL: complete'),
      direct: plan('CMD: echo new > /mnt/open/fresh', 'GOAL: complete'),
      words: plan(
        'CMD: rm -f none',
        'CMD: sed -i s/precious/gone/ old; rm old; touch new',
        'CMD: cat old',
        'GOAL: complete',
      ),
      over: plan('CMD: rm -f none', 'CMD: echo mine > old', 'CMD: cat old', 'GOAL: complete'),
      watched: plan(
        'CMD: rm -f none',
        ...Array.from({ length: WATCHED }, (_, n) => [
          `CMD: cp /etc/hostname old; echo ${n}`,
          `CMD: touch new${n}`,
        ]).flat(),
        'CMD: cat old',
        'GOAL: complete',
      ),
      late: plan(
        'CMD: rm -f none',
        'CMD: cp /etc/hostname old',
        'CMD: cp /etc/hostname late',
        'CMD: cat old late',
        'GOAL: complete',
      ),
    }),
    async () => {
      folder = await mkdtemp(join(tmpdir(), 'aish-folder-'));
      open = await mkdtemp(join(tmpdir(), 'aish-open-'));
      for (const each of [folder, open]) await chmod(each, 0o777);
      const folders = [
        { name: 'media', hostPath: folder, containerPath: '/mnt/media', mode: 'held' },
        { name: 'open', hostPath: open, containerPath: '/mnt/open', mode: 'direct' },
      ];
      return { quickRecovery: true, env: { SANDBOX_LAYERS: 'on', SANDBOX_HOST_FOLDERS: JSON.stringify(folders) } };
    },
  );

  afterAll(async () => {
    for (const each of [folder, open]) await rm(each, { recursive: true, force: true });
  });

  it(
    verifies('halt.folder'),
    async () => {
      const { client } = running.stack;
      const [film, song] = [join(folder, 'film'), join(folder, 'song')];
      for (const each of [film, song]) {
        await writeFile(each, 'precious\n');
        await chmod(each, 0o666);
      }
      const input = CreateGoal.parse({ text: 'film: look after the folder', hostFolders: ['media'] });
      const { id } = await client.json(Goal, 'POST', '/v1/goals', input);

      // The words of the command are asked about first, so its changes already count as approved.
      await client.decide((await client.decisionOf(id)).number, 'proceed');
      const question = await client.decisionOf(id);
      expect(await readdir(folder)).toEqual(['film', 'new']);
      expect(question).toMatchObject({
        reason: 'it overwrote 1 file (9 B) that were there before',
        difference: { held: { folders: { names: ['media'] } }, effects: { changed: { paths: ['/mnt/media/film'] } } },
      });

      await writeFile(film, 'of somebody\n');
      await client.decide(question.number, 'proceed');
      const again = await client.decisionOf(id);
      expect(again.number).not.toBe(question.number);
      expect(again.reason).toMatch(/^\/mnt\/media\/film changed on the host while it ran.*Skip discards/);
      expect(await readFile(film, 'utf8')).toBe('of somebody\n');
      await client.decide(again.number, 'skip');
      const goal = await client.until(id, 'done');

      const undone = await client.request('POST', `/v1/actions/${goal.actions[0]?.id}/undo`, {});
      expect(await undone.json()).toMatchObject({ actionId: goal.actions[0]?.id });
      expect(await readdir(folder)).toEqual(['film', 'song']);
    },
    60_000,
  );

  it(
    verifies(
      'halt.folder',
      'a trusted goal runs commands first and asks about their changes afterwards, except with a folder in mode direct',
    ),
    async () => {
      const { client } = running.stack;
      const given = (text: string, hostFolders: string[]) =>
        client.json(Goal, 'POST', '/v1/goals', CreateGoal.parse({ text, hostFolders, trust: 'undoable' }));
      const film = join(folder, 'film');
      await writeFile(film, 'precious\n');
      await chmod(film, 0o666);
      const held = await given('trusted: in a held folder', ['media']);
      const question = await client.decisionOf(held.id);
      expect(question).toMatchObject({
        action: 'rm /mnt/media/film',
        reason: expect.stringMatching(/^it deleted 1 file/),
      });
      expect(await readFile(join(folder, 'fresh'), 'utf8')).toBe('new\n');
      expect(await readFile(film, 'utf8')).toBe('precious\n');
      await client.decide(question.number, 'skip');
      expect((await client.until(held.id, 'done')).decisions).toHaveLength(1);
      expect(await readFile(film, 'utf8')).toBe('precious\n');

      const direct = await given('direct: in a folder of the host', ['open']);
      const asked = await client.decisionOf(direct.id);
      expect(asked).toMatchObject({ action: 'echo new > /mnt/open/fresh', difference: null });
      expect(await readdir(open)).toEqual([]);
      await client.decide(asked.number, 'skip');
      await client.until(direct.id, 'done');
      expect(await readdir(open)).toEqual([]);
    },
  );

  it(
    verifies('halt.depends', 'the changes of a command that destroys no older file are kept immediately'),
    async () => {
      const { client } = running.stack;
      const { id } = await client.createGoal('report: write what is new');
      const goal = await client.until(id, 'done');
      expect(goal.decisions).toEqual([]);
      expect(goal.actions.map(({ classification }) => classification?.held)).toEqual([true, true, true, true, true]);
      expect(goal.actions.at(-1)?.outcome?.output).toBe('all is well\nagain\n');
    },
  );

  it(verifies('halt.depends', 'a command that destroys older files is held'), async () => {
    const { client } = running.stack;
    const { id, sessionId } = await client.createGoal('over: write what is old');
    const first = await client.decisionOf(id);
    const path = `/v1/sessions/${sessionId}/files/file?path=old`;
    await client.request('PUT', path, 'precious', { 'content-type': 'application/octet-stream' });
    await client.decide(first.number, 'skip');
    const { number, difference } = await client.decisionOf(id);
    expect(difference).toMatchObject({ effects: { changed: { paths: ['old'] } }, held: { overwritten: { files: 1 } } });
    await client.decide(number, 'skip');
    expect((await client.until(id, 'done')).actions.at(-1)?.outcome?.output).toBe('precious');
  });

  it(verifies('halt.depends', 'a command whose text shows what it destroys is also held afterwards'), async () => {
    const { client } = running.stack;
    const { id, sessionId } = await client.createGoal('words: edit what is old');
    const first = await client.decisionOf(id);
    await client.request('PUT', `/v1/sessions/${sessionId}/files/file?path=old`, 'precious', OCTETS);
    await client.decide(first.number, 'skip');
    const { number, difference } = await client.decisionOf(id);
    expect(difference).toMatchObject({ effects: { deleted: { paths: ['old'] } }, held: { deleted: { files: 1 } } });
    await client.decide(number, 'skip');
    expect((await client.until(id, 'done')).actions.at(-1)?.outcome?.output).toBe('precious');
  });

  it(
    verifies('halt.held', 'commands are held while others list, download and send files'),
    async () => {
      const { client } = running.stack;
      const { id, sessionId } = await client.createGoal('watched: mind the file');
      const first = await client.decisionOf(id);
      const files = `/v1/sessions/${sessionId}/files`;
      const put = async (path: string, body: string) =>
        (await client.request('PUT', `${files}/file?path=${path}`, body, OCTETS)).status;
      expect([await put('old', 'precious'), await put('big', 'x'.repeat(2 ** 25))]).toEqual([204, 204]);
      const slow = await fetch(`${client.url}${files}/file?path=big`, {
        headers: { authorization: `Bearer ${client.token}` },
        signal: AbortSignal.timeout(200_000),
      });
      const stop = new AbortController();
      const list = async () => {
        while (!stop.signal.aborted) expect((await client.request('GET', `${files}?path=`)).status).toBe(200);
      };
      const listing = list();
      try {
        expect(await put('mine', 'mine')).toBe(204);
        await client.decide(first.number, 'skip');
        for (let n = 0; n < WATCHED; n++) {
          const { number, action, difference } = await client.decisionOf(id);
          expect(action).toBe(`cp /etc/hostname old; echo ${n}`);
          expect(difference).toMatchObject({ held: { overwritten: { files: 1, bytes: 8 } } });
          await client.decide(number, 'skip');
        }
        expect((await client.until(id, 'done')).actions.at(-1)?.outcome?.output).toBe('precious');
      } finally {
        stop.abort();
        await listing;
      }
      expect((await slow.arrayBuffer()).byteLength).toBe(2 ** 25);
    },
    240_000,
  );

  it(
    verifies('halt.held', 'an upload that began before a command belongs to the person, whenever the upload ends'),
    async () => {
      const { client } = running.stack;
      const { id, sessionId } = await client.createGoal('late: mind the files');
      const first = await client.decisionOf(id);
      const url = (path: string) => `${client.url}/v1/sessions/${sessionId}/files/file?path=${path}`;
      const send = async (path: string, body: BodyInit) => {
        const headers = { ...OCTETS, authorization: `Bearer ${client.token}` };
        const init: RequestInit & { readonly duplex: 'half' } = { method: 'PUT', headers, body, duplex: 'half' };
        return (await fetch(url(path), init)).status;
      };
      expect(await send('old', 'precious')).toBe(204);
      const body = new TransformStream<Uint8Array, Uint8Array>();
      const writer = body.writable.getWriter();
      const late = send('late', body.readable);
      await writer.write(Buffer.from('of the '));
      await client.decide(first.number, 'skip');
      const held = await client.decisionOf(id);
      expect(held).toMatchObject({
        action: 'cp /etc/hostname old',
        difference: { held: { overwritten: { files: 1 } } },
      });
      await writer.write(Buffer.from('owner'));
      await writer.close();
      expect(await late).toBe(409);
      await client.decide(held.number, 'skip');
      const goal = await client.until(id, 'done');
      expect(goal.actions.at(-1)?.outcome?.output).toMatch(/^precious./);
      // The upload was refused because the goal's own file was there. Now the file belongs to the owner.
      expect(await send('late', 'of the owner')).toBe(204);
      expect(await (await client.request('GET', `/v1/sessions/${sessionId}/files/file?path=late`)).text()).toBe(
        'of the owner',
      );
    },
  );

  it.each([
    ['proceed', /^\/tmp\nroot:/, /looked at it and kept it/],
    ['skip', /^\/workspace\nprecious$/, /rolled back by user[^]*mind the file[^]*rolled back: ~1 file/],
    ['abort', null, null],
  ] as const)(verifies('halt.held', '%s'), async (verdict, printed, modelNotice) => {
    const { stack, model } = running;
    const { client } = stack;
    const { id, sessionId } = await client.createGoal(`tidy: then ${verdict}`);
    const first = await client.decisionOf(id);
    const path = `/v1/sessions/${sessionId}/files/file?path=old`;
    const asFile = { 'content-type': 'application/octet-stream' };
    expect((await client.request('PUT', path, 'precious', asFile)).status).toBe(204);
    await client.decide(first.number, 'skip');

    const question = await client.decisionOf(id);
    expect(question).toMatchObject({
      kind: 'halt',
      action: 'cp /etc/passwd old; cd /tmp',
      reason: 'it overwrote 1 file (8 B) that were there before',
      difference: { held: { verdict: 'waiting' }, effects: { changed: { files: 1, paths: ['old'] } } },
    });
    const all = await client.json(ChangeList, 'GET', `/v1/actions/${question.actionId}/changes?limit=1`);
    expect(all).toMatchObject({ items: [{ kind: 'changed', path: 'old' }], total: 1, next: null, complete: true });
    expect((await client.request('PUT', path, 'x', asFile)).status).toBe(409);
    const refused = await client.request('POST', `/v1/decisions/${question.number}/verdict`, {
      verdict: 'edit',
      command: 'ls',
    });
    expect(refused.status).toBe(400);
    const services = [stack.sandbox, stack.api, ...stack.workers];
    await Promise.all(services.map((service) => service.kill('SIGKILL')));
    await Promise.all(services.map((service) => service.start()));

    await client.decide(question.number, verdict, verdict === 'skip' ? 'mind the file' : undefined);
    if (printed === null) {
      await client.until(id, 'aborted');
      // The worker must have handled the verdict.
      await eventually(
        'it is rolled back',
        async () => (await (await client.request('GET', path)).text()) === 'precious',
      );
      return;
    }
    const goal = await client.until(id, 'done');
    expect(goal.actions.at(-1)?.outcome?.output).toMatch(printed);
    expect(goal.actions).toHaveLength(3);
    const lastMessages = model.requests.findLast(({ messages }) => messages[1]?.content === goal.text)?.messages ?? [];
    expect(lastMessages.map(({ content }) => content).join('\n')).toMatch(modelNotice);
  });
});
