import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openWorld, type World } from '@aish/actions/testing';
import { PLANTS } from './plants.js';
import { Simulation, storyOf } from './simulate.js';

/** `SEED=123 npx jest --testPathPatterns simulation.spec` plays that one again and shows all of it. */
const { SEED } = process.env;
const COUNT = 500;
/** A driver that is not the shipped one is seen within so many. */
const COUNT_OF_PLANT = 200;

describe('sessions, simulated by seed', () => {
  const simulation = new Simulation();
  let world: World;
  beforeAll(async () => {
    world = await openWorld(simulation.script);
  }, 120_000);
  afterAll(() => world?.close());

  it('keep their rules whatever goes wrong', async () => {
    if (SEED !== undefined) {
      const one = await simulation.run(world, Number(SEED));
      process.stderr.write(`${storyOf(one)}\n`);
      return expect(one.broken).toEqual([]);
    }
    const bad = await simulation.runAll(world, { first: 1, count: COUNT });
    expect(bad.map(storyOf).join('\n\n')).toBe('');
  }, 600_000);

  it('do the same again for the same seed', async () => {
    for (const seed of [3, 4, 17, 18, 41, 42]) {
      const [one, another] = await Promise.all([simulation.run(world, seed), simulation.run(world, seed)]);
      expect(another.trace).toEqual(one.trace);
    }
  }, 60_000);

  it.each(Object.entries(PLANTS))(
    'would be seen with a driver that %s',
    async (_, { rule, plant }) => {
      const [seen] = await simulation.runAll(world, { first: 1, count: COUNT_OF_PLANT, plant, badMax: 1 });
      expect(seen?.broken.join('\n') ?? 'nothing is seen').toMatch(rule);
    },
    300_000,
  );
});
