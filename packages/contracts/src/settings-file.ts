import { parse } from 'dotenv';
import { AishError } from './problems.js';

export type Environment = Readonly<Record<string, string | undefined>>;

/** Names the settings file (`NAME=value` lines) that every service reads in addition to its environment. */
export const SETTINGS_FILE = 'AISH_CONFIG';

/**
 * The environment, plus settings from the file that the environment does not set. A setting counts as set if `X` or
 * `X_FILE` exists and is not empty.
 *
 * @throws AishError `invalid_config` if the file in AISH_CONFIG cannot be read.
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

/** Merges two environments setting by setting: `X` in one overrides `X_FILE` in the other. */
export function mergeSettings(file: Environment, env: Environment): Environment {
  const merged: Record<string, string | undefined> = { ...env };
  for (const [name, value] of Object.entries(file)) {
    const setting = name.replace(/_FILE$/, '');
    if (!env[setting] && !env[`${setting}_FILE`] && !env[name]) merged[name] = value;
  }
  return merged;
}
