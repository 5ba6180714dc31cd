import * as z from 'zod';

/**
 * The capabilities of an engine that commands depend on. `layers`: each command writes to its own layer. `undo`: a
 * command's changes can be undone. `memory`, `cpus`, `processes`: the engine enforces these limits. `network`: commands
 * reach the proxies of the sandbox, and hosts over SSH. `folders`: commands see host folders of the sandbox's machine.
 */
export const ENGINE_CAPABILITIES = ['layers', 'undo', 'memory', 'cpus', 'processes', 'network', 'folders'] as const;
export type EngineCapabilityName = (typeof ENGINE_CAPABILITIES)[number];

export const EngineCapability = z
  .object({
    name: z.enum(ENGINE_CAPABILITIES),
    /** `untested` for a moment after the start. */
    state: z.enum(['yes', 'no', 'untested']),
    /** Why the engine lacks it; or how it works, if that is worth knowing. */
    detail: z.string().nullable(),
  })
  .meta({ id: 'EngineCapability' });
export type EngineCapability = z.infer<typeof EngineCapability>;

/** A sandbox of the previous version reports only version and runtime. */
export const EngineReport = z
  .object({
    kind: z.enum(['docker', 'podman']).default('docker'),
    version: z.string(),
    runtime: z.string(),
    rootless: z.boolean().default(false),
    /** The path of its socket, or `ssh://` and its machine. */
    address: z.string().default(''),
    capabilities: z.array(EngineCapability).default([]),
  })
  .meta({ id: 'EngineReport' });
export type EngineReport = z.infer<typeof EngineReport>;
