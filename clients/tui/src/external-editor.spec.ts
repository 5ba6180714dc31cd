import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Io } from '@aish/client/io';
import { editText } from './external-editor.js';

describe('editText', () => {
  let folder: string;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'aish-editor-'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  /** An editor that runs this script on its file, which is the last argument. */
  async function editor(script: string): Promise<string> {
    await writeFile(join(folder, 'editor.sh'), script);
    return `sh '${join(folder, 'editor.sh')}'`;
  }

  function edit(text: string, config: Io['config']) {
    const { signal } = new AbortController();
    return editText(text, { stdin: new PassThrough(), stdout: process.stdout, stderr: process.stderr, config, signal });
  }

  it('editText returns the edited text without its last line break', async () => {
    const VISUAL = `${await editor('sed -i "s/two/2/" "$2"; echo "$1" >> "$2"')} --wait`;
    expect(await edit('one\ntwo\n', { VISUAL, EDITOR: 'false' })).toEqual({ text: 'one\n2\n--wait' });
  });

  it('editText returns an error if the editor fails or does not exist', async () => {
    const failing = await editor('echo lost > "$1"; exit 3');
    expect(await edit('kept', { EDITOR: failing })).toEqual({ trouble: `the editor failed: ${failing} (exit 3)` });
    expect(await edit('kept', { EDITOR: 'no-such-editor 2>&-' })).toMatchObject({
      trouble: expect.stringContaining('exit 127'),
    });
  });

  it('editText deletes its temporary file', async () => {
    const path = join(folder, 'path');
    expect(await edit('secret', { EDITOR: await editor(`printf %s "$1" > '${path}'`) })).toEqual({ text: 'secret' });
    await expect(stat(await readFile(path, 'utf8'))).rejects.toMatchObject({ code: 'ENOENT' });
  });
});
