import Sequencer from '@jest/test-sequencer';

/**
 * These specs take long although their files are short. A machine that never ran the tests knows only the size of a
 * file and would start these specs last. At the end one process would then wait for another.
 */
const LONG = [
  'preview/kept',
  'tui/tui',
  'layers/holds',
  'index-db/knowledge-index',
  'layers/verdicts',
  'web/verdicts',
  'src/recovery',
  'system/norris',
  'layers/held.folders',
  'system/files',
  'snapshots/layer.undo',
  'system/hosts',
  'warm/warm',
  'src/breakout',
  'simulation/simulation.release',
  'system/kill-matrix',
  'tui/flows',
  'web/system',
  'system/swarm',
  'tui/day',
  'web/page',
  'layers/boundaries.release',
  'system/compose',
  'layers/keeper.release',
  'layers/kills.release',
  'system/machines',
  'truth/truth.release',
  'src/kill.release',
];

/** Runs long specs first, in this order. The others follow in Jest's order, by earlier times or by size. */
export default class extends Sequencer {
  sort(tests) {
    const sorted = super.sort(tests);
    const placeOf = ({ path }) => {
      const place = LONG.findIndex((name) => path.endsWith(`/${name}.spec.ts`));
      return place < 0 ? LONG.length : place;
    };
    return sorted.toSorted((a, b) => placeOf(a) - placeOf(b));
  }
}
