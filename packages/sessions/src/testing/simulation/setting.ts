import type { World } from '@aish/actions/testing';
import { Toolbox } from '@aish/tools';
import type { Chance } from './chance.js';
import type { SimSandbox, SimTools, FaultRates } from './sim.world.js';

/** The environment of one simulated session: the shared world, and the session's own sandbox and tools. */
export interface Setting {
  readonly world: World;
  readonly ports: World['ports'];
  readonly chance: Chance;
  readonly weather: FaultRates;
  readonly sandbox: SimSandbox;
  readonly tools: SimTools;
  /** The name of the session, as its model knows it. */
  readonly name: string;
  /** Receives unexpected errors. */
  readonly onError: (error: unknown) => void;
}

export const SETTINGS = {
  commandTimeoutMs: 10_000,
  elicitationWaitMs: 10_000,
  toolShare: 0.1,
  grants: true,
  trustMax: 'undoable',
} as const;

export function portsOf({ ports }: World, sandbox: SimSandbox, tools: SimTools): World['ports'] {
  const kept = { keep: () => Promise.resolve('r-1'), readText: () => Promise.resolve(null) };
  return { ...ports, sandbox, toolbox: new Toolbox(() => [tools], kept) };
}
