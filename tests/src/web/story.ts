import type { EventBody } from '@aish/contracts/events';
import type { SeededGoal, WebStack } from './web.stack.js';

const NONE = { files: 0, bytes: 0, paths: [] };
const SAFE = { verdict: 'safe', reason: null, ruleId: null, span: null, by: 'rule' } as const;

/** Returns the events of one step of a goal: the model's text, its command, the output and the effects. */
export function step(goalId: string, n: number, answer: string, command: string, output: string): readonly EventBody[] {
  const actionId = `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;
  const usage = {
    promptTokens: 500 + n * 60,
    cachedTokens: 300,
    completionTokens: 20 + n * 9,
    promptMs: 1,
    completionMs: 1,
  };
  const outcome = {
    exitCode: 0,
    signal: null,
    outOfMemory: false,
    timedOut: false,
    cancelled: false,
    durationMs: 340,
    output,
    omittedBytes: 0,
    effects: { created: { files: 1, bytes: 20, paths: ['copies/list'] }, changed: NONE, deleted: NONE, complete: true },
  };
  const its = { goalId, actionId, kind: 'command', step: n, command } as const;
  return [
    { type: 'step.started', goalId, step: n, stepBudget: 16 },
    { type: 'step.answered', goalId, step: n, text: `${answer}\n\nCMD: ${command}`, model: 'm', usage },
    { type: 'action.classified', ...its, n: 1, classification: SAFE },
    { type: 'action.started', ...its },
    { type: 'action.finished', goalId, actionId, kind: 'command', step: n, outcome, result: null },
  ];
}

/** Writes a goal that has ended, and one that waits for a verdict. */
export async function tellStories(web: WebStack): Promise<{ ended: SeededGoal; halted: SeededGoal }> {
  const listing = Array.from({ length: 40 }, (_, n) => `-rw-r--r-- 1 aish aish ${1000 + n} Nov 20 23:36 file-${n}.txt`);
  const text = 'find the three largest files under /usr/share and delete the copies you made';
  const ended = await web.goal(text, ({ id: goalId, number }) => [
    { type: 'goal.created', goalId, number, text, preset: 'fast', stepBudget: 16 },
    ...step(
      goalId,
      1,
      'First I look **what is there**.',
      'find /usr/share -type f -size +1M',
      '/usr/share/a\n/usr/share/b',
    ),
    ...step(goalId, 2, 'Then I check the copies:\n\n- their sizes\n- their names', 'ls -l copies', listing.join('\n')),
    {
      type: 'goal.changed',
      goalId,
      state: 'done',
      reason: null,
      waitingFor: null,
      summary:
        'The three largest files were found: /usr/share/icons/large.cache (31 MB), /usr/share/fonts/opentype/all.otf (24 MB) ' +
        'and /usr/share/doc/manual.pdf (12 MB). The copies are gone.',
    },
  ]);
  const photos = 'back up the photos, then tidy up /srv/photos/tmp';
  const halted = await web.goal(photos, ({ id: goalId, number }) => [
    { type: 'goal.created', goalId, number, text: photos, preset: 'fast', stepBudget: 16 },
    ...step(goalId, 1, 'How much is it?', 'du -sh /srv/photos', '12G /srv/photos'),
  ]);
  await web.halt(
    halted,
    'tar -czf /backup/photos.tgz /srv/photos && rm -rf /srv/photos/tmp; dd if=/dev/zero of=/dev/sdb',
    {
      context: 'The backup is written first. Then the folder tmp goes.',
      classification: {
        verdict: 'destructive',
        reason: 'deletes a folder for good',
        ruleId: 'files.rm-recursive',
        span: [43, 65],
        by: 'rule',
        others: [{ verdict: 'destructive', reason: 'overwrites a disk', ruleId: 'disk.dd', span: [67, 94] }],
      },
    },
  );
  return { ended, halted };
}
