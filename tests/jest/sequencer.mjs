import Sequencer from '@jest/test-sequencer';

/**
 * Specs that take long although their files are short. A machine that never ran the tests knows only the size of a file, and would
 * start these last: one process would wait for the other one at the end.
 */
const LONG = [
  'system/survival',
  'system/halt-restart',
  'system/backup',
  'check/readme',
  'system/goals-chaos',
  'system/soak',
  'system/kill-matrix',
  'system/memory-chaos',
  'system/knowledge-hammer',
  'system/mcp-conformance',
  'system/rootless',
  'system/swarm',
  'system/machines',
  'system/llama-goal',
  'tui/tui',
];

/** Long specs first, then as Jest sorts them: by what they took before, or by size. */
export default class extends Sequencer {
  sort(tests) {
    const sorted = super.sort(tests);
    const isLong = ({ path }) => LONG.some((name) => path.endsWith(`/${name}.spec.ts`));
    return [...sorted.filter(isLong), ...sorted.filter((test) => !isLong(test))];
  }
}
