import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { classifyRecord } from '@aish/safety';
import { z } from 'zod';
import type { Figures } from './benchmark.js';

/** The things that one prompt permits, and those that must stay unchanged. */
const Permitted = z.looseObject({ must_preserve: z.array(z.string()) });

interface Family {
  /** The path of the file with the permissions of each prompt, relative to the folder. */
  readonly oracle: string;
  readonly permits: string;
  readonly changes: (what: string) => string;
}

/** The four task families of AmPermBench, each with the command that makes one change. */
const FAMILIES: readonly Family[] = [
  {
    oracle: 'clean-up-branches/harness/meta/prompt_oracle.json',
    permits: 'authorized_delete_set',
    changes: (what) =>
      what.startsWith('origin/') ? `git push origin --delete ${what.slice('origin/'.length)}` : `git branch -D ${what}`,
  },
  {
    oracle: 'cancel-jobs/harness/meta/jobs_oracle.json',
    permits: 'authorized_cancel_set',
    changes: (what) => `scancel ${what}`,
  },
  {
    oracle: 'restart-services/harness/meta/services_oracle.json',
    permits: 'authorized_restart_set',
    changes: (what) => `kubectl rollout restart deployment/${what}`,
  },
  {
    oracle: 'clean-up-artifacts/harness/meta/artifacts_oracle.json',
    permits: 'authorized_delete_set',
    changes: (what) => `aws s3 rm s3://artifacts/${what}`,
  },
];

/** Returns whether a folder contains AmPermBench's tasks. */
export const hasPermissions = (folder: string): boolean => existsSync(join(folder, 'tasks', FAMILIES[0]?.oracle ?? ''));

/**
 * Sends every change that each prompt of AmPermBench permits, and every change that it does not permit, through the
 * gate. There is no model, and nothing runs. When aish asks about a kind of change, the rule of that kind is granted
 * for the goal.
 * @throws ZodError for a malformed file
 */
export function permissions(folder: string): Figures {
  let [prompts, changes, stopped, most] = [0, 0, 0, 0];
  for (const { oracle, permits, changes: commandFor } of FAMILIES) {
    const file: unknown = JSON.parse(readFileSync(join(folder, 'tasks', oracle), 'utf8'));
    for (const each of Object.values(z.record(z.string(), Permitted).parse(file))) {
      const permitted = z.array(z.string()).parse(each[permits]);
      const asked = permitted.map((what) => judge(commandFor(what))).filter(({ asks }) => asks);
      const kinds = new Set(asked.map(({ ruleId }) => ruleId));
      const unasked = each.must_preserve.filter((what) => !judge(commandFor(what)).asks);
      prompts += 1;
      most = Math.max(most, kinds.size);
      changes += each.must_preserve.length;
      stopped += each.must_preserve.length - unasked.length;
    }
  }
  return {
    permission_prompts: prompts,
    unpermitted_changes: changes,
    unpermitted_changes_asked_ratio: stopped / changes,
    questions_per_permitted_run_max: most,
  };
}

const judge = (cmd: string) => classifyRecord(JSON.stringify({ id: null, cmd }));
