import Sequencer from '@jest/test-sequencer';

/**
 * These specs take long although their files are short. A machine that never ran the tests knows only the size of a
 * file and would start these specs last. At the end one process would then wait for another.
 */
const LONG = [
  'system/automatic-revert',
  'system/defences',
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
  'simulation/simulation',
  'system/kill-matrix',
  'tui/flows',
  'web/system',
  'system/jobs',
  'system/swarm',
  'tui/day',
  'web/page',
  'layers/boundaries',
  'system/compose',
  'layers/keeper',
  'layers/kills',
  'system/machines',
  'truth/truth',
  'src/kill',
];

const NAME_ENDS = ['.spec.ts', '.release.spec.ts'];

/** Runs long specs first, in this order. The others follow in Jest's order, by earlier times or by size. */
export default class extends Sequencer {
  sort(tests) {
    const sorted = super.sort(tests);
    const placeOf = ({ path }) => {
      const place = LONG.findIndex((name) => NAME_ENDS.some((end) => path.endsWith(`/${name}${end}`)));
      return place < 0 ? LONG.length : place;
    };
    return sorted.toSorted((a, b) => placeOf(a) - placeOf(b));
  }
}
