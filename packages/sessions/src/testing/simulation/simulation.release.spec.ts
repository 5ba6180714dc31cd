import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openWorld, type World } from '@aish/actions/testing';
import { PLANTS } from './plants.js';
import { Simulation, storyOf, type Simulated } from './simulate.js';

/**
 * `SEED=123 npx jest --testPathPatterns simulation.release` replays that session and shows all of it. `SEEDS=20000
 * FROM=251` selects how many sessions run, and the first seed.
 */
const { SEED, SEEDS = '250', FROM = '1' } = process.env;
const SEED_MAX_MS = 2_000;
/** The simulation must detect a faulty runner within this number of sessions. */
const COUNT_OF_PLANT = 200;

describe('sessions, simulated by seed', () => {
  const simulation = new Simulation();
  let world: World;
  beforeAll(async () => {
    world = await openWorld(simulation.script);
  }, 120_000);
  afterAll(() => world?.close());

  it(
    'simulated sessions obey their rules after any fault',
    async () => {
      if (SEED !== undefined) {
        const one = await simulation.run(world, Number(SEED));
        process.stderr.write(`${storyOf(one)}\n`);
        return expect(one.broken).toEqual([]);
      }
      const bad = await simulation.runAll(world, { first: Number(FROM), count: Number(SEEDS) });
      expect(bad.map(storyOf).join('\n\n')).toBe('');
    },
    Number(SEEDS) * SEED_MAX_MS,
  );

  it('the same seed gives the same simulated session', async () => {
    for (const seed of [3, 4, 17, 18, 41, 42]) {
      const [one, another] = await Promise.all([simulation.run(world, seed), simulation.run(world, seed)]);
      expect(another.trace).toEqual(one.trace);
    }
  }, 60_000);

  it.each(Object.entries(PLANTS))(
    'the simulation detects a runner that %s',
    async (_, { rule, plant }) => {
      // One fault may break several rules, and the seed decides which breaks first.
      const isEnough = ({ broken }: Simulated): boolean => broken.some((each) => rule.test(each));
      const bad = await simulation.runAll(world, { first: 1, count: COUNT_OF_PLANT, plant, isEnough });
      expect(bad.flatMap(({ broken }) => broken).join('\n')).toMatch(rule);
    },
    300_000,
  );
});
