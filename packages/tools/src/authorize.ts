import { canonicalJson } from '@aish/contracts/canonical-json';
import { createHash } from 'node:crypto';
import { isCallStopped, type Classification } from '@aish/contracts/safety';
import type { ToolSpec } from '@aish/contracts/tools';

/** A tool in the version that a person approved. */
export interface Approval {
  /** The label of a tool, or `server.*`. */
  readonly tool: string;
  /** The fingerprint of each tool at its approval, by label. */
  readonly fingerprints: Readonly<Record<string, string>>;
}

export interface Policy {
  /** Returns whether the configuration allows a tool, by its label. */
  readonly autoApproves: (label: string) => boolean;
  /** The grants of this session. */
  readonly grants: readonly Approval[];
  /** The last approved fingerprints in any session, by label. */
  readonly seen: Readonly<Record<string, string>>;
}

export type Authorization =
  | { readonly kind: 'allowed' }
  /** `changed` means that the tool was approved before, and has changed since. */
  | { readonly kind: 'ask'; readonly reason: string; readonly isChanged: boolean };

/** Returns a fingerprint of a tool's description, because a server may change it after the approval (a rug pull). */
export function fingerprintOf({ description, inputSchema, annotations }: ToolSpec): string {
  return createHash('sha256')
    .update(canonicalJson([description, inputSchema, annotations]))
    .digest('hex')
    .slice(0, 32);
}

/**
 * Decides whether a call needs a person. The gate comes first: a destructive or unreadable call always needs a person,
 * despite grants. A tool that has changed since its approval needs a new approval. After that, grants and policy count.
 * Pure.
 */
export function authorize(spec: ToolSpec, classification: Classification, policy: Policy): Authorization {
  const { label } = spec;
  if (isCallStopped(classification)) {
    const why = classification.verdict === 'destructive' ? 'it may destroy something' : 'it cannot be read';
    return { kind: 'ask', reason: classification.reason ?? why, isChanged: false };
  }
  const now = fingerprintOf(spec);
  const covering = policy.grants.filter((each) => covers(each.tool, label));
  const grant = covering.find(({ fingerprints }) => fingerprints[label] !== undefined) ?? covering[0];
  const approved = grant?.fingerprints[label] ?? policy.seen[label];
  const isOther = grant !== undefined && approved === undefined && Object.keys(grant.fingerprints).length > 0;
  if (isOther && !policy.autoApproves(label)) {
    return { kind: 'ask', reason: `${label} was not there when ${grant.tool} was allowed`, isChanged: true };
  }
  const isListed = grant !== undefined || policy.autoApproves(label);
  if (isListed && approved !== undefined && approved !== now) {
    return { kind: 'ask', reason: `${label} has changed since it was approved`, isChanged: true };
  }
  if (isListed) return { kind: 'allowed' };
  return { kind: 'ask', reason: `${label} is not among the tools that run without a question`, isChanged: false };
}

/** Whether a pattern (`server.tool` or `server.*`) matches a tool. The server is the part before the first dot. */
export function covers(pattern: string, label: string): boolean {
  if (pattern === label) return true;
  return pattern.endsWith('.*') && label.split('.')[0] === pattern.slice(0, -2);
}
