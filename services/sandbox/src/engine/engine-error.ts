import { AishError, isAishError } from '@aish/contracts/problems';

/** Returns the HTTP status from the engine, or undefined if it did not answer. */
export function engineStatus(error: unknown): number | undefined {
  return error instanceof Error && 'statusCode' in error && typeof error.statusCode === 'number'
    ? error.statusCode
    : undefined;
}

interface EnginePlace {
  /** The path of a socket, or an address with `ssh://`. */
  readonly address: string;
  readonly image: string;
  /** The last message of `ssh`, if it said anything. */
  readonly ssh: string | null;
}

/** Converts an error of the engine to an AishError that says what to do. */
export function toEngineError(error: unknown, at: EnginePlace): AishError {
  if (error instanceof AishError) return error;
  const status = engineStatus(error);
  const message = error instanceof Error ? error.message : String(error);
  if (status === undefined) {
    return new AishError('engine_unavailable', adviceFor(error, at), {}, { cause: error });
  }
  if (status === 404 && /no such image/i.test(message)) return imageMissing(at.image, error);
  if (/no space left on device/i.test(message)) return diskFull(error);
  const missing = /bind source path does not exist: (.*)/.exec(message)?.[1];
  if (missing !== undefined) {
    return new AishError('mount_missing', `There is no folder ${missing.trim()} on the host`, {}, { cause: error });
  }
  return new AishError('internal', `The Docker engine answered: ${message.trim()}`, {}, { cause: error });
}

/** Returns whether a test failed for a reason that says nothing about the engine's capabilities. */
export function isTemporary(error: unknown): boolean {
  return isAishError(error, 'engine_unavailable', 'image_missing', 'runtime_missing', 'too_many', 'aborted');
}

export function imageMissing(image: string, cause?: unknown): AishError {
  return new AishError(
    'image_missing',
    `The sandbox image ${image} does not exist. Build it: services/sandbox/image/build.sh`,
    { image },
    { cause },
  );
}

export function runtimeMissing(runtime: string, instead: readonly string[]): AishError {
  return new AishError(
    'runtime_missing',
    `The Docker engine has no runtime ${runtime} (SANDBOX_RUNTIME); it has ${instead.join(', ') || 'none'}. ` +
      'Install it and name it in /etc/docker/daemon.json, or set SANDBOX_RUNTIME to one of these',
    { runtime, runtimes: instead },
  );
}

/** Returns the error for a run that did not begin because the disk was full. */
export function diskFull(cause?: unknown): AishError {
  return new AishError(
    'disk_full',
    'There is no space left on the disk for a command to run. Delete workspaces that you do not need, or other files',
    {},
    { cause },
  );
}

function adviceFor(error: unknown, { address, ssh }: EnginePlace): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (address.startsWith('ssh://')) {
    return `The engine at ${address} does not respond (${ssh ?? String(code)}). Start it on that machine`;
  }
  switch (code) {
    case 'ENOENT':
      return `There is no Docker engine at ${address}. Install and start Docker, or set DOCKER_SOCKET`;
    case 'ECONNREFUSED':
      return `Nothing responds at ${address}. Start Docker (systemctl start docker, or service docker start)`;
    case 'EACCES':
    case 'EPERM':
      return `This service may not use ${address}. Run it as a user of the group that owns the socket`;
    default:
      return `The Docker engine at ${address} does not respond (${String(code ?? (error instanceof Error ? error.message : error))})`;
  }
}
