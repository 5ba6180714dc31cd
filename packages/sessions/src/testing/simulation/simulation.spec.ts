import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openWorld, type World } from '@aish/actions/testing';
import { Simulation, storyOf } from './simulate.js';

const { SEED, SEEDS = '500', FROM = '1' } = process.env;

describe('sessions, simulated by seed', () => {
  const simulation = new Simulation();
  let world: World;
  beforeAll(async () => {
    world = await openWorld(simulation.script);
  }, 120_000);
  afterAll(() => world?.close());

  it('keep their rules whatever goes wrong', async () => {
    const [first, count] = SEED === undefined ? [Number(FROM), Number(SEEDS)] : [Number(SEED), 1];
    const from = performance.now();
    let moves = 0;
    const bad = await simulation.runAll(world, first, count, (one) => {
      moves += one.trace.length;
      if (count === 1 || one.broken.length > 0) process.stderr.write(`${storyOf(one)}\n\n`);
    });
    process.stderr.write(`${(performance.now() - from) / count} ms a seed, ${moves / count} lines\n`);
    expect(bad.map(({ seed, broken }) => [seed, broken])).toEqual([]);
  }, 600_000);
});
