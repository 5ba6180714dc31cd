import { createHash } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readOnlyFileContent } from '@aish/contracts/bound-digest';
import {
  RUNBOOK_FILES_MAX,
  type OpenedRunbook,
  type Runbook,
  type RunbookCall,
  type RunbookDetail,
} from '@aish/contracts/runbooks';
import { AishError } from '@aish/contracts/problems';
import type { Database } from '@aish/database/client';
import {
  acceptRunbook,
  findAcceptedRunbook,
  listAcceptedRunbooks,
  type AcceptedRunbook,
} from '@aish/database/runbooks.repository';
import type { KnowledgeBase } from '../base/knowledge-base.js';
import { git, gitText } from '../git/git.js';
import { readBlobs } from '../git/git-objects.js';
import { SKILL_FILE, readSkill, type Skill, type SkillFiles } from './read-skill.js';

const sha256 = (data: string | Uint8Array): string => createHash('sha256').update(data).digest('hex');

/** The folder of runbooks in the repository: `runbooks/disk-full/SKILL.md`. */
const FOLDER = 'runbooks/';
const RUNBOOKS_MAX = 500;

export interface StoredRunbook {
  readonly skill: Skill;
  readonly files: SkillFiles;
  readonly commit: string;
}

/** The committed runbooks. Uncommitted files in the folder do not count. */
export class Runbooks {
  private known: { readonly commit: string; readonly items: readonly StoredRunbook[] } | null = null;

  constructor(
    private readonly db: Database,
    private readonly base: KnowledgeBase,
  ) {}

  /** Lists the runbooks, sorted by name. */
  async list(signal?: AbortSignal): Promise<Runbook[]> {
    const [items, accepted] = await Promise.all([this.all(signal), listAcceptedRunbooks(this.db.statements)]);
    return items.map(({ skill }) => shown(skill, acceptedIn(accepted, skill)));
  }

  /** @throws AishError `not_found` */
  async show(name: string, signal?: AbortSignal): Promise<RunbookDetail> {
    return this.detail(await this.find(name, null, signal));
  }

  /**
   * @param commit the version to read; null for the current one.
   *
   * @throws AishError `not_found`
   */
  async find(name: string, commit: string | null, signal?: AbortSignal): Promise<StoredRunbook> {
    const items = commit === null ? await this.all(signal) : await this.read(commit, `${FOLDER}${name}/`, signal);
    const found = items.find(({ skill }) => skill.name === name);
    if (found !== undefined) return found;
    throw new AishError('not_found', `There is no runbook ${name}. List them with: aish runbook list`);
  }

  /**
   * Opens a runbook for a new goal.
   *
   * @throws AishError `not_found`, `runbook_faulty`, or `invalid_body` for its parameters.
   */
  async open({ name, parameters }: RunbookCall): Promise<OpenedRunbook> {
    const { skill, files, commit } = await this.find(name, null);
    refuseFaults(skill);
    const unknown = Object.keys(parameters).filter((each) => !skill.parameters.some((known) => known.name === each));
    const missing = skill.parameters.filter((known) => known.default === null && !(known.name in parameters));
    if (unknown.length > 0 || missing.length > 0) {
      const has = skill.parameters.map((known) => known.name).join(', ') || 'none';
      const wrong = [...unknown.map((each) => `no ${each}`), ...missing.map((each) => `${each.name} is missing`)];
      throw new AishError('invalid_body', `Parameters of the runbook ${name}: ${has}; ${wrong.join(', ')}`);
    }
    const values = skill.parameters.map((known) => [known.name, parameters[known.name] ?? known.default ?? '']);
    return {
      name,
      commit,
      digest: skill.digest,
      chosen: true,
      text: skill.text,
      files: Object.fromEntries(
        [...files].flatMap(([path, file]) => (path === SKILL_FILE ? [] : [[path, readOnlyFileContent(file, sha256)]])),
      ),
      parameters: Object.fromEntries(values) as Record<string, string>,
    };
  }

  /** Returns the faults of files that are not stored yet. */
  async check(name: string, files: SkillFiles): Promise<RunbookDetail> {
    return this.detail({ skill: readSkill(name, files), files, commit: null });
  }

  /**
   * Writes a person's runbook in one commit. It replaces one with the same name.
   *
   * @throws AishError `runbook_faulty`, and errors of a write.
   */
  async put(author: string, name: string, files: SkillFiles, signal?: AbortSignal): Promise<RunbookDetail> {
    refuseFaults(readSkill(name, files));
    const at = (path: string): string => `${FOLDER}${name}/${path}`;
    await this.base.write(
      author,
      async ({ paths }) => {
        const changes = new Map<string, Buffer | null>();
        for (const path of await paths()) if (path.startsWith(at(''))) changes.set(path, null);
        for (const [path, content] of files) changes.set(at(path), content);
        return { files: changes, message: `runbook: ${name}\n\nPut by ${author}\n` };
      },
      signal,
    );
    return this.show(name, signal);
  }

  /**
   * Replaces the SKILL.md of a runbook, or creates a runbook with it, in one commit. Other files stay.
   *
   * @param change `digest` identifies the runbook that the change is meant for; null if none exists.
   * @throws AishError `version_changed` if the runbook has changed; `runbook_faulty`, and errors of a write.
   */
  async amend(
    author: string,
    change: { readonly name: string; readonly text: string; readonly digest: string | null; readonly message: string },
    signal?: AbortSignal,
  ): Promise<RunbookDetail> {
    const { name, text, digest, message } = change;
    const folder = `${FOLDER}${name}/`;
    await this.base.write(
      author,
      async ({ paths, read }) => {
        const files = new Map<string, Buffer>();
        for (const path of await paths()) {
          const content = path.startsWith(folder) ? await read(path) : null;
          if (content !== null) files.set(path.slice(folder.length), content);
        }
        const now = files.has(SKILL_FILE) ? readSkill(name, files).digest : null;
        if (now !== digest) throw notShown(name);
        const skill = Buffer.from(text);
        refuseFaults(readSkill(name, files.set(SKILL_FILE, skill)));
        return { files: new Map([[`${folder}${SKILL_FILE}`, skill]]), message };
      },
      signal,
    );
    return this.show(name, signal);
  }

  /** Returns the difference between two texts, as a unified diff without its header. */
  async diff(before: string, after: string, signal?: AbortSignal): Promise<string> {
    const dir = await mkdtemp(join(tmpdir(), 'aish-diff-'));
    try {
      await Promise.all([writeFile(join(dir, 'before'), before), writeFile(join(dir, 'after'), after)]);
      const options = { ...this.base.repository.git(signal === undefined ? {} : { signal }), dir };
      const { stdout } = await git(['diff', '--no-index', '--no-color', '--no-ext-diff', 'before', 'after'], options);
      const lines = stdout.toString('utf8').split('\n');
      return lines
        .slice(lines.findIndex((each) => each.startsWith('@@')))
        .join('\n')
        .trimEnd();
    } finally {
      await rm(dir, { recursive: true, force: true });
    }
  }

  /**
   * Allows this version of a runbook to use its tools and commands without a question.
   *
   * @throws AishError `not_found`, `version_changed`
   */
  async accept(by: string, name: string, digest: string): Promise<RunbookDetail> {
    const { skill } = await this.find(name, null);
    if (skill.digest !== digest) throw notShown(name);
    refuseFaults(skill);
    const { tools, commands } = skill;
    await acceptRunbook(this.db.statements, { name, digest, tools, commands, acceptedBy: by });
    return this.show(name);
  }

  private async detail({ skill, files, commit }: Omit<StoredRunbook, 'commit'> & { readonly commit: string | null }) {
    const accepted = await findAcceptedRunbook(this.db.statements, skill.name, skill.digest);
    const sizes = [...files].map(([path, { length }]) => ({ path, sizeBytes: length }));
    return { ...shown(skill, accepted), commit, text: skill.text, files: sizes };
  }

  private async all(signal?: AbortSignal): Promise<readonly StoredRunbook[]> {
    const commit = await this.base.mustHead(signal);
    if (this.known?.commit !== commit) this.known = { commit, items: await this.read(commit, FOLDER, signal) };
    return this.known.items;
  }

  private async read(commit: string, under: string, signal?: AbortSignal): Promise<StoredRunbook[]> {
    const options = this.base.repository.git(signal === undefined ? {} : { signal });
    const listed = await gitText(['ls-tree', '-r', '-z', '--name-only', commit, '--', under], options);
    const paths = listed.split('\0').filter((path) => path.split('/').length > 2);
    const blobs = await readBlobs(commit, paths.slice(0, RUNBOOKS_MAX * RUNBOOK_FILES_MAX), options);
    const folders = new Map<string, Map<string, Buffer>>();
    for (const [path, content] of blobs) {
      const [, name = '', ...rest] = path.split('/');
      if (content === null) continue;
      const files = folders.get(name) ?? new Map<string, Buffer>();
      folders.set(name, files.set(rest.join('/'), content));
    }
    return [...folders]
      .filter(([, files]) => files.has(SKILL_FILE))
      .slice(0, RUNBOOKS_MAX)
      .map(([name, files]) => ({ skill: { ...readSkill(name, files), name }, files, commit }))
      .toSorted((a, b) => (a.skill.name < b.skill.name ? -1 : 1));
  }
}

function acceptedIn(accepted: readonly AcceptedRunbook[], { name, digest }: Skill): AcceptedRunbook | null {
  return accepted.find((each) => each.name === name && each.digest === digest) ?? null;
}

function shown(skill: Skill, accepted: AcceptedRunbook | null): Runbook {
  const { name, description, parameters, tools, commands, digest, faults, hints } = skill;
  return {
    name,
    description,
    parameters: [...parameters],
    tools: [...tools],
    commands: [...commands],
    digest,
    acceptedBy: accepted?.acceptedBy ?? null,
    faults: [...faults],
    hints: [...hints],
  };
}

function refuseFaults({ name, faults }: Skill): void {
  if (faults.length > 0) throw new AishError('runbook_faulty', `The runbook ${name} has errors: ${faults.join('; ')}`);
}

function notShown(name: string): AishError {
  return new AishError('version_changed', `The runbook ${name} has changed since it was shown. Read it again`);
}
