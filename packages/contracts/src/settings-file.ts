import { parse } from 'dotenv';
import { AishError } from './problems.js';

export type Environment = Readonly<Record<string, string | undefined>>;

/** Names the file of settings (`NAME=value` lines) that every service reads beside its environment. */
export const SETTINGS_FILE = 'AISH_CONFIG';

/**
 * The environment, with what the settings file says where the environment says nothing. A setting counts as said when
 * `X` or `X_FILE` is there and not empty.
 * @throws AishError `invalid_config` when AISH_CONFIG names a file that cannot be read.
 */
export function withSettingsFile(env: Environment, readFile: (path: string) => string): Environment {
  const path = env[SETTINGS_FILE];
  if (!path) return env;
  let text: string;
  try {
    text = readFile(path);
  } catch (error) {
    const why = (error as NodeJS.ErrnoException).code ?? 'error';
    throw new AishError(
      'invalid_config',
      `The configuration is not valid:\n  ${SETTINGS_FILE}: cannot read ${path} (${why})`,
    );
  }
  return mergeSettings(parse(text), env);
}

/** `env` over `file`, setting by setting: an `X_FILE` in one place does not meet an `X` in the other. */
export function mergeSettings(file: Environment, env: Environment): Environment {
  const merged: Record<string, string | undefined> = { ...env };
  for (const [name, value] of Object.entries(file)) {
    const setting = name.replace(/_FILE$/, '');
    if (!env[setting] && !env[`${setting}_FILE`] && !env[name]) merged[name] = value;
  }
  return merged;
}
