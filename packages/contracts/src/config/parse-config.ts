import type { z } from 'zod';
import { AishError } from '../problems.js';
import { withSettingsFile, type Environment } from '../settings-file.js';

/**
 * Reads a service's settings from the environment and reports all errors at once. A setting `X` may be in a file named
 * by `X_FILE` instead; its last line break is dropped. All settings may be in a settings file named by AISH_CONFIG; the
 * environment overrides it. Empty values count as absent, because compose writes them.
 *
 * @throws AishError `invalid_config`, one line per error. It never repeats values, because they may be secrets.
 */
export function parseConfig<S extends z.ZodObject>(
  schema: S,
  environment: Environment,
  readFile: (path: string) => string,
): z.infer<S> {
  const env = withSettingsFile(environment, readFile);
  const input: Record<string, string> = {};
  const faults: string[] = [];
  for (const name of Object.keys(schema.shape)) {
    const direct = env[name];
    const path = env[`${name}_FILE`];
    if (direct && path) faults.push(`${name}: both ${name} and ${name}_FILE are set; set one`);
    else if (path) {
      try {
        input[name] = readFile(path).replace(/\r?\n$/, '');
      } catch (error) {
        faults.push(`${name}_FILE: cannot read ${path} (${(error as NodeJS.ErrnoException).code ?? 'error'})`);
      }
    } else if (direct) input[name] = direct;
  }
  const parsed = schema.safeParse(input);
  if (!parsed.success) {
    for (const issue of parsed.error.issues) {
      const name = String(issue.path[0] ?? '');
      if (!faults.some((fault) => fault.startsWith(`${name}_FILE:`) || fault.startsWith(`${name}:`))) {
        faults.push(
          `${issue.path.join('.')}: ${input[name] === undefined && issue.code !== 'custom' ? 'is missing' : issue.message}`,
        );
      }
    }
  }
  if (faults.length > 0)
    throw new AishError('invalid_config', `The configuration is not valid:\n  ${faults.join('\n  ')}`);
  return parsed.data as z.infer<S>;
}
