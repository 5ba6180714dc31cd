import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';

const Settings = z.looseObject({
  Image: z.string(),
  Hostname: z.string().optional(),
  Env: z.array(z.string()).nullish(),
  Labels: z.record(z.string(), z.string()).nullish(),
});
const Network = z.looseObject({ Aliases: z.array(z.string()).nullish(), IPAMConfig: z.unknown() });

/** The part of the output of `docker inspect CONTAINER` that aish reads. */
export const InspectedContainer = z.object({
  Id: z.string(),
  /** The id of its image. */
  Image: z.string(),
  Config: Settings,
  HostConfig: z.looseObject({ Binds: z.array(z.string()).nullish(), Mounts: z.array(z.looseObject({})).nullish() }),
  Mounts: z.array(z.object({ Type: z.string(), Name: z.string().optional(), Destination: z.string() })),
  NetworkSettings: z.object({ Networks: z.record(z.string(), Network).nullish() }),
});
export type InspectedContainer = z.infer<typeof InspectedContainer>;

/** The settings that an image gives to its containers, from `docker image inspect`. */
export const ImageSettings = z.looseObject({
  Env: z.array(z.string()).nullish(),
  Labels: z.record(z.string(), z.string()).nullish(),
});

/** Fields of a container that Docker fills from its image, unless a person has set them. */
const OF_IMAGE = [
  'Cmd',
  'Entrypoint',
  'ExposedPorts',
  'Healthcheck',
  'Shell',
  'StopSignal',
  'User',
  'Volumes',
  'WorkingDir',
];

/**
 * Returns the body of the engine's request that copies a container with another image. The settings that came from the
 * first image are omitted, because the other image has its own.
 * @param given the settings of the first image
 */
export function containerLike(old: InspectedContainer, given: z.infer<typeof ImageSettings>, image: string): object {
  const { Hostname, ...config } = old.Config;
  const own = Object.entries(config).filter(
    ([key, value]) => !OF_IMAGE.includes(key) || !isDeepStrictEqual(value, given[key]),
  );
  const isOwnName = Hostname !== undefined && !old.Id.startsWith(Hostname);
  return {
    ...Object.fromEntries(own),
    ...(isOwnName ? { Hostname } : {}),
    Image: image,
    Env: (config.Env ?? []).filter((each) => !(given.Env ?? []).includes(each)),
    Labels: Object.fromEntries(
      Object.entries(config.Labels ?? {}).filter(([key, value]) => given.Labels?.[key] !== value),
    ),
    HostConfig: { ...old.HostConfig, Binds: [...(old.HostConfig.Binds ?? []), ...unnamedVolumes(old)] },
    NetworkingConfig: { EndpointsConfig: networksOf(old) },
  };
}

/** Volumes without a name belong to the container, and not to its settings. */
function unnamedVolumes({ Mounts, HostConfig }: InspectedContainer): readonly string[] {
  const set = [
    ...(HostConfig.Binds ?? []).map((bind) => bind.split(':')[1]),
    ...(HostConfig.Mounts ?? []).map((mount) => mount['Target']),
  ];
  return Mounts.flatMap(({ Type, Name, Destination }) =>
    Type === 'volume' && Name !== undefined && !set.includes(Destination) ? [`${Name}:${Destination}`] : [],
  );
}

/** Returns the networks to connect to, without the addresses that Docker chose itself. */
function networksOf({ Id, NetworkSettings }: InspectedContainer): object {
  return Object.fromEntries(
    Object.entries(NetworkSettings.Networks ?? {})
      .filter(([name]) => !['bridge', 'host', 'none'].includes(name))
      .map(([name, { Aliases, IPAMConfig }]) => [
        name,
        { IPAMConfig, Aliases: (Aliases ?? []).filter((alias) => !Id.startsWith(alias)) },
      ]),
  );
}
