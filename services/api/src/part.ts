import { Inject } from '@nestjs/common';

/** The name of a part that start-api.ts opens and that classes inject. `all` stands for the whole of `ApiParts`. */
export type PartName =
  | 'all'
  | 'broker'
  | 'bus'
  | 'callers'
  | 'capabilityStore'
  | 'chats'
  | 'db'
  | 'runner'
  | 'dropPreview'
  | 'eventBox'
  | 'goalLimits'
  | 'grants'
  | 'hosts'
  | 'hub'
  | 'images'
  | 'logger'
  | 'mcp'
  | 'messengers'
  | 'openRunbook'
  | 'presetNames'
  | 'presets'
  | 'push'
  | 'queue'
  | 'runbooks'
  | 'sandbox'
  | 'secretBox'
  | 'sessionDefaults'
  | 'settings'
  | 'signIn'
  | 'spaces'
  | 'sweeps'
  | 'toolbox'
  | 'trustMax'
  | 'workspaces';

/** How often the api looks for work that is due, in milliseconds. */
export interface Sweeps {
  /** For chats without a runner. */
  readonly chatSweepEveryMs: number;
  /** For the time of the daily brief. */
  readonly briefLookEveryMs: number;
}

/** Injects a part whose type is an interface. Nest itself injects classes by their type alone. */
export const Part = (name: PartName): ParameterDecorator => Inject(partToken(name));

export const partToken = (name: string): string => `part:${name}`;
