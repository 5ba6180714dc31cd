import type { EngineCapability, EngineCapabilityName } from '@aish/contracts/engine';
import type { EngineLimits } from './engine-facts.js';

/** Why containers cannot use something of this service's machine; null if they can. */
export interface AccessFaults {
  /** The sockets on which this service listens for containers. */
  readonly sockets: string | null;
  /** The folders of this service's machine. */
  readonly folders: string | null;
}

/** The facts that this service has found out about its engine. `undefined` means that it has not been tested yet. */
export interface Findings {
  readonly limits: EngineLimits;
  readonly whyNoLayers: string | null | undefined;
  readonly accessFaults: AccessFaults | undefined;
  /** Whether the settings allow copies for undo. */
  readonly mayCopy: boolean;
}

export function capabilitiesOf({ limits, whyNoLayers, accessFaults, mayCopy }: Findings): readonly EngineCapability[] {
  return [
    tested('layers', whyNoLayers),
    undo(whyNoLayers, mayCopy),
    limit('memory', limits.memory),
    limit('cpus', limits.cpus),
    limit('processes', limits.processes),
    tested('network', accessFaults?.sockets),
    tested('folders', accessFaults?.folders),
  ];
}

function tested(name: EngineCapabilityName, why: string | null | undefined): EngineCapability {
  if (why === undefined) return { name, state: 'untested', detail: null };
  return { name, state: why === null ? 'yes' : 'no', detail: why };
}

/** Without layers, undo needs only containers and volumes, which every engine has. */
function undo(whyNoLayers: string | null | undefined, mayCopy: boolean): EngineCapability {
  if (whyNoLayers === undefined || whyNoLayers === null) return tested('undo', whyNoLayers);
  if (!mayCopy) return tested('undo', 'without layers it needs copies, and SNAPSHOTS_MAX_MB=0 allows none');
  return { name: 'undo', state: 'yes', detail: 'by copies of whole workspaces' };
}

function limit(name: EngineCapabilityName, isEnforced: boolean): EngineCapability {
  return tested(name, isEnforced ? null : 'the engine reports that it does not enforce this limit');
}
