import type { SandboxConfig } from '@aish/contracts/config/sandbox.config';
import type { StdioRequest } from '@aish/contracts/stdio';
import type Docker from 'dockerode';
import { LABELS, workplaceSpec } from '../engine/container-spec.js';
import type { NetworkMount } from '../network/network.gate.js';
import { networkSettings } from '../network/network.mount.js';

/** This label distinguishes the containers and volumes of stdio programs from those of commands. */
export const STDIO_LABEL = 'dev.aish.stdio';
/** This label holds the ID whose network access ends with the container. */
export const STDIO_ID_LABEL = 'dev.aish.stdio-id';

export function stdioName(instance: string, id: string): string {
  return `aish-stdio-${instance}-${id}`;
}

/** Returns the name of the volume that all programs of one name share. */
export function stdioVolume(instance: string, name: string): string {
  return `aish-mcp-${instance}-${name}`;
}

/**
 * Describes a container like that of a command, with all its limits, but with another image and program, and without a
 * log.
 */
export function stdioSpec(
  request: StdioRequest,
  config: SandboxConfig,
  network: NetworkMount | null,
): Docker.ContainerCreateOptions {
  const instance = config.SANDBOX_INSTANCE;
  const like = workplaceSpec(
    { workspaceId: request.id, image: { id: null, env: null, limits: request.limits } },
    config,
  );
  const way = networkSettings(network);
  const labels = { [LABELS.instance]: instance, [STDIO_LABEL]: request.name };
  return {
    ...like,
    name: stdioName(instance, request.id),
    Image: request.image ?? config.SANDBOX_IMAGE,
    Entrypoint: way.entrypoint,
    Cmd: [...request.command],
    Env: [
      ...(like.Env ?? []),
      ...way.env,
      ...Object.entries(request.env).map(([name, value]) => `${name}=${value}`),
      ...request.secrets.map(({ name, exposed, value, placeholder }) => `${name}=${exposed ? value : placeholder}`),
    ],
    Labels: { ...labels, [STDIO_ID_LABEL]: request.id },
    OpenStdin: true,
    StdinOnce: true,
    AttachStdin: true,
    HostConfig: {
      ...like.HostConfig,
      Mounts: [
        {
          Type: 'volume',
          Source: stdioVolume(instance, request.name),
          Target: '/workspace',
          VolumeOptions: { NoCopy: false, Labels: labels, DriverConfig: { Name: 'local', Options: {} } },
        },
        ...way.mounts,
      ],
      LogConfig: { Type: 'none', Config: {} },
    },
  };
}

/**
 * Describes a container that makes the user of commands the owner of the volume. A new volume would take its owner from
 * the first image that mounts it.
 */
export function volumeOwnerSpec(request: StdioRequest, config: SandboxConfig): Docker.ContainerCreateOptions {
  const spec = stdioSpec({ ...request, image: null, command: ['true'], env: {}, secrets: [] }, config, null);
  return { ...spec, name: `${stdioName(config.SANDBOX_INSTANCE, request.id)}-volume` };
}
