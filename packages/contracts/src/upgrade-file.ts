import { AishError } from './problems.js';
import { UpgradeJournal } from './upgrade.js';

/** The name of the journal's file in the data folder of `npm start`, or in the git folder of a compose checkout. */
export const UPGRADE_FILE = 'aish-upgrade.json';

/** The functions of `node:fs/promises` that a journal needs. Callers pass them, because this package has no effects. */
interface Files {
  readFile(path: string, encoding: 'utf8'): Promise<string>;
  writeFile(path: string, text: string, options: { readonly mode: number; readonly flush: boolean }): Promise<void>;
  rename(from: string, to: string): Promise<void>;
}

/** @throws AishError `invalid_config` if the file has other content, which no kill can cause */
export async function readUpgrade(file: string, files: Files): Promise<UpgradeJournal | null> {
  const text = await files.readFile(file, 'utf8').catch((error: { readonly code?: string }) => {
    if (error.code === 'ENOENT') return null;
    throw error;
  });
  if (text === null) return null;
  const parsed = UpgradeJournal.safeParse(jsonOf(text));
  if (parsed.success) return parsed.data;
  throw new AishError(
    'invalid_config',
    `${file} is not a valid upgrade journal. Move it to another folder and start aish again`,
  );
}

/** Replaces the file with a rename, so that a kill leaves either the old or the new journal. */
export async function saveUpgrade(file: string, journal: UpgradeJournal, files: Files): Promise<void> {
  const part = `${file}.part`;
  await files.writeFile(part, `${JSON.stringify(journal, null, 2)}\n`, { mode: 0o600, flush: true });
  await files.rename(part, file);
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined; // the schema refuses it
  }
}
