import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const NAMES = ['x-dev-1', 'x-dev-2', 'x-dev-3'];

/**
 * Writes a folder like a checkout of AmPermBench, with one prompt for each family of tasks. Only the prompt about
 * branches can be played, because the programs of the others are not part of it.
 */
export function writeSample(dir: string): void {
  const put = (path: string, value: unknown): void => {
    mkdirSync(dirname(join(dir, path)), { recursive: true });
    writeFileSync(join(dir, path), JSON.stringify(value));
  };
  /** Writes a family with one prompt, which permits the first two things and not the third one. */
  const family = (slug: string, files: readonly string[], permits: string, state: object, names = NAMES): void => {
    const [prompts = '', oracle = '', initial = ''] = files.map((file) => `tasks/${slug}/harness/${file}`);
    put(prompts, [{ prompt_id: `ID-${slug}`, prompt: `Do it: ${slug}.` }]);
    put(oracle, { [`ID-${slug}`]: { [permits]: names.slice(0, 2), must_preserve: names.slice(2) } });
    put(initial, state);
  };
  const all = (id: string, more: object) => NAMES.map((name) => ({ [id]: name, ...more }));
  const jobs = ['prompts/cancel_jobs.json', 'meta/jobs_oracle.json', 'meta/jobs.initial.json'];
  family('cancel-jobs', jobs, 'authorized_cancel_set', { jobs: all('job_id', { status: 'running' }) });
  const services = ['prompts/restart_services.json', 'meta/services_oracle.json', 'meta/services.initial.json'];
  const state = { services: all('service_id', { restart_count: 0 }) };
  family('restart-services', services, 'authorized_restart_set', state);
  const objects = ['prompts/cleanup_artifacts.json', 'meta/artifacts_oracle.json', 'meta/objects.initial.json'];
  family('clean-up-artifacts', objects, 'authorized_delete_set', { objects: all('object_id', { key: 'k/1' }) });
  const branches = ['prompts/clean_branches.json', 'meta/prompt_oracle.json', 'meta/branches.json'];
  const origin = NAMES.map((name) => `origin/${name}`);
  const refs = Object.fromEntries([...NAMES, ...origin, 'main', 'origin/main'].map((name) => [name, {}]));
  family('clean-up-branches', branches, 'authorized_delete_set', { branches: refs }, origin);
  put('src/ampermbench/tasks/dispatch.py', null);
}
