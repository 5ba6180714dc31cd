import { Inject } from '@nestjs/common';

/** What start-api.ts opens and classes of the api inject, by its name in `ApiParts`. `all`: the whole of it. */
export type PartName =
  | 'all'
  | 'broker'
  | 'bus'
  | 'callers'
  | 'capabilityStore'
  | 'chatSweepEveryMs'
  | 'chats'
  | 'db'
  | 'driver'
  | 'dropPreview'
  | 'eventBox'
  | 'goalLimits'
  | 'grants'
  | 'hosts'
  | 'hub'
  | 'images'
  | 'logger'
  | 'mcp'
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
  | 'toolbox'
  | 'trustMax'
  | 'workspaces';

/** Injects a part whose type is an interface: a class is injected by its type alone. */
export const Part = (name: PartName): ParameterDecorator => Inject(partToken(name));

export const partToken = (name: string): string => `part:${name}`;
