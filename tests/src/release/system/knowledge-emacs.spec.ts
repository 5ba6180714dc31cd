import { execFile, execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { KnowledgeHits, KnowledgeNode } from '@aish/contracts/knowledge';
import { KnowledgeDoctorReport } from '@aish/contracts/knowledge-upkeep';
import { ScratchBase, generatedNode, makeGeneratedBase } from '@aish/knowledge/testing';
import { verifies } from '../../requirements.js';
import { ROOT } from '../../support/service.process.js';

const run = promisify(execFile);
const NODES = 1_000;
const ME = { name: 'me', scope: null };
let home: string;
let scratch: ScratchBase;

beforeEach(async () => {
  home = mkdtempSync(join(tmpdir(), 'aish-emacs-'));
  scratch = await ScratchBase.make();
});
afterEach(() => {
  scratch.remove();
  rmSync(home, { recursive: true, force: true });
});

/** Runs `aish kb …` on the clone, with a separate home folder. */
async function kb(...args: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  const command = [`${ROOT}clients/cli/bin/aish.mjs`, 'kb', ...args, '--repo', scratch.dir];
  const env = { PATH: process.env['PATH'], HOME: home, XDG_CONFIG_HOME: join(home, 'config') };
  try {
    return { code: 0, ...(await run(process.execPath, command, { env, timeout: 280_000 })) };
  } catch (error) {
    const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string };
    return { code, stdout, stderr };
  }
}

describe('the knowledge base in Emacs', () => {
  it(
    verifies('knowledge.emacs', `org-roam builds its database of ${NODES} nodes, and doctor confirms it`),
    async () => {
      await makeGeneratedBase(scratch.base, NODES);
      const links = Array.from({ length: NODES }, (_, n) => generatedNode(n).text.match(/\[\[id:[0-9a-f]{8}-/g) ?? []);
      const synced = JSON.parse((await kb('sync', '--json')).stdout) as { nodes: number; links: number };
      expect(synced).toMatchObject({ nodes: NODES, links: links.flat().length });
      const before = KnowledgeDoctorReport.parse(JSON.parse((await kb('doctor', '--json')).stdout)).checks;
      expect(before.slice(-2)).toMatchObject([
        { name: 'adapter', state: 'warning', advice: 'aish kb init --emacs' },
        { name: 'org-roam', state: 'ok', detail: expect.stringContaining(`${NODES} nodes`) },
      ]);
      expect((await kb('init', '--emacs')).code).toBe(0);
      const again = JSON.parse((await kb('init', '--emacs', '--json')).stdout) as { outcome: string }[];
      expect(again.map(({ outcome }) => outcome)).toEqual(Array.from({ length: 5 }, () => 'unchanged'));
      const after = KnowledgeDoctorReport.parse(JSON.parse((await kb('doctor', '--json')).stdout)).checks;
      expect(after.find(({ name }) => name === 'adapter')).toMatchObject({ state: 'ok' });
      expect(scratch.status()).toBe('');
    },
    300_000,
  );

  it(
    verifies('knowledge.emacs', "captures in Emacs are not nodes, and a person's own notes come back unchanged"),
    async () => {
      const raw = [{ name: 'capture.org', text: ':PROPERTIES:\n:ID: 5f9b3c1e-0000-4000-8000-000000000000\n:END:\n' }];
      await scratch.base.remember({ title: 'One', raw }, ME);
      expect(JSON.parse((await kb('sync', '--json')).stdout)).toMatchObject({ nodes: 1 });
      await kb('init', '--emacs');
      const own = join(home, 'roam');
      const script = join(home, 'check.el');
      writeFileSync(
        script,
        `(package-initialize)
(make-directory ${JSON.stringify(own)} t)
(setq org-roam-directory ${JSON.stringify(own)} org-roam-db-location ${JSON.stringify(join(home, 'own.db'))}
      org-roam-file-exclude-regexp "drafts/" org-roam-capture-templates '(("d" "default")))
(load ${JSON.stringify(join(home, 'config/aish/aish-kb.el'))})
(defun told () (list org-roam-directory org-roam-db-location org-roam-file-exclude-regexp org-roam-capture-templates))
(let ((before (told)))
  (aish-kb-switch)
  (aish-kb-switch)
  (princ (format "shown %S\\n" (file-equal-p org-roam-directory ${JSON.stringify(scratch.dir)})))
  (princ (format "nodes %S\\n" (caar (org-roam-db-query [:select (funcall count id) :from nodes]))))
  (aish-kb-sync)
  (aish-kb-switch-back)
  (princ (format "back %S\\n" (equal before (told)))))
`,
      );
      const { stdout } = await run('emacs', ['--batch', '--load', script], { env: { ...process.env, HOME: home } });
      expect(stdout.split('\n').filter((line) => /^(?:shown|nodes|back) /.test(line))).toEqual([
        'shown t',
        'nodes 1',
        'back t',
      ]);
    },
    120_000,
  );
});

describe('aish kb on a clone', () => {
  it(
    verifies('knowledge.emacs', 'aish kb sync says so if there is no Emacs, and doctor reports nothing missing'),
    async () => {
      await scratch.base.remember({ title: 'One' }, ME);
      const bin = join(home, 'bin');
      execFileSync('sh', ['-c', `mkdir "$0"; ln -s "$(command -v git)" "$(command -v flock)" "$0"`, bin]);
      const env = process.env['PATH'];
      process.env['PATH'] = bin;
      try {
        expect((await kb('sync')).code).toBe(3);
        const { checks } = KnowledgeDoctorReport.parse(JSON.parse((await kb('doctor', '--json')).stdout));
        expect(checks.at(-1)).toMatchObject({ name: 'org-roam', state: 'ok', detail: 'no Emacs here' });
      } finally {
        process.env['PATH'] = env;
      }
    },
    60_000,
  );
  it(
    verifies('knowledge.curated'),
    async () => {
      const write = async (title: string) => (await scratch.base.remember({ title }, ME)).id ?? '';
      const [kept, part, old, next] = [
        await write('Kept'),
        await write('Part'),
        await write('Old'),
        await write('New'),
      ];
      const file = join(home, 'tidy.json');
      const operations = [
        { kind: 'merge', into: kept, from: [part] },
        { kind: 'supersede', id: old, by: next },
        { kind: 'curated', id: kept },
      ];
      writeFileSync(file, JSON.stringify(operations));
      const head = scratch.git('rev-parse', 'HEAD');
      const asked = await kb('curated', '--plan', file);
      expect([asked.code, asked.stdout, asked.stderr]).toEqual([
        0,
        expect.stringMatching(/merge Part into Kept[^]*supersede Old by New[^]*Kept was looked at/),
        expect.stringContaining('Nothing has changed yet'),
      ]);
      expect(scratch.git('rev-parse', 'HEAD')).toBe(head);
      const planId = /--confirm (\w+)/.exec(asked.stderr)?.[1] ?? '';
      await scratch.base.remember({ id: part, summary: 'It says something else by now.' }, ME);
      expect((await kb('curated', '--plan', file, '--confirm', planId)).code).toBe(2);
      const again = /--confirm (\w+)/.exec((await kb('curated', '--plan', file)).stderr)?.[1] ?? '';
      expect((await kb('curated', '--plan', file, '--confirm', again)).code).toBe(0);
      const node = KnowledgeNode.parse(JSON.parse((await kb('read', part, '--json')).stdout));
      expect(node).toMatchObject({ id: kept, lastCurated: expect.any(String) });
      const { items } = KnowledgeHits.parse(JSON.parse((await kb('query', '--json')).stdout));
      expect(items.map(({ title, status }) => `${title} ${status}`).toSorted((a, b) => a.localeCompare(b))).toEqual([
        'Kept active',
        'New active',
        'Old superseded',
      ]);
    },
    60_000,
  );

  it(
    verifies('knowledge.api', 'the exit codes of aish kb distinguish no match, no knowledge base and a broken one'),
    async () => {
      const unknown = '5f9b3c1e-0000-4000-8000-000000000000';
      expect([(await kb('query', 'nothing')).code, (await kb('read', unknown)).code]).toEqual([1, 1]);
      expect((await kb('remember', 'Key', '-s', `ghp_${'a1B2c3D4e5F6'.repeat(3)}`)).code).toBe(3);
      rmSync(join(scratch.dir, '.git'), { recursive: true });
      expect([(await kb('query', 'nothing')).code, (await kb('read', unknown)).code]).toEqual([2, 2]);
    },
    60_000,
  );
});
