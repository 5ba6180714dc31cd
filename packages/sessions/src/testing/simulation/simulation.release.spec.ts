import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { openWorld, type World } from '@aish/actions/testing';
import { Simulation, storyOf } from './simulate.js';

/** `SEEDS=20000 FROM=1 npx jest --testPathPatterns simulation.release` takes as many as wanted. */
const { SEEDS = '1500', FROM = '501' } = process.env;
const SEED_MAX_MS = 2_000;

const simulation = new Simulation();
let world: World;
beforeAll(async () => {
  world = await openWorld(simulation.script);
}, 120_000);
afterAll(() => world?.close());

it(
  'sessions of many more seeds keep their rules',
  async () => {
    const bad = await simulation.runAll(world, { first: Number(FROM), count: Number(SEEDS) });
    expect(bad.map(storyOf).join('\n\n')).toBe('');
  },
  Number(SEEDS) * SEED_MAX_MS,
);
