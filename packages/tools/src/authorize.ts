import { createHash } from 'node:crypto';
import { isCallStopped, type Classification } from '@aish/contracts/safety';
import type { ToolSpec } from '@aish/contracts/tools';

/** A tool that a person has approved, as it was then. */
export interface Approval {
  /** A label, or `server.*`. */
  readonly tool: string;
  /** What each tool of it looked like when it was approved, by label. */
  readonly fingerprints: Readonly<Record<string, string>>;
}

export interface Policy {
  /** Whether the configuration lets a tool be called, by its label. */
  readonly autoApproves: (label: string) => boolean;
  /** What this session was granted. */
  readonly grants: readonly Approval[];
  /** How tools looked when they were approved last, by label, in any session. */
  readonly seen: Readonly<Record<string, string>>;
}

export type Authorization =
  | { readonly kind: 'allowed' }
  /** `changed`: it was approved once and is not what it was. */
  | { readonly kind: 'ask'; readonly reason: string; readonly isChanged: boolean };

/** Identifies what a tool says of itself: a description that changes after approval is how a rug is pulled. */
export function fingerprintOf({ description, inputSchema, annotations }: ToolSpec): string {
  return createHash('sha256')
    .update(canonical([description, inputSchema, annotations]))
    .digest('hex')
    .slice(0, 32);
}

/**
 * Whether a call needs a person, in this order. The gate has the last word: a destructive or unreadable call always
 * needs a person, in spite of grants. A tool that has changed since its approval is asked about again. Then grants and
 * policy count. Pure.
 */
export function authorize(spec: ToolSpec, classification: Classification, policy: Policy): Authorization {
  const { label } = spec;
  if (isCallStopped(classification)) {
    const why = classification.verdict === 'destructive' ? 'it may destroy something' : 'it cannot be read';
    return { kind: 'ask', reason: classification.reason ?? why, isChanged: false };
  }
  const now = fingerprintOf(spec);
  const grant = policy.grants.find((each) => covers(each.tool, label));
  const approved = grant?.fingerprints[label] ?? policy.seen[label];
  const isListed = grant !== undefined || policy.autoApproves(label);
  if (isListed && approved !== undefined && approved !== now) {
    return { kind: 'ask', reason: `${label} has changed since it was approved`, isChanged: true };
  }
  if (isListed) return { kind: 'allowed' };
  return { kind: 'ask', reason: `${label} is not among the tools that run without a question`, isChanged: false };
}

/** Whether a pattern (`server.tool` or `server.*`) names a tool. The server is what stands before the first dot. */
export function covers(pattern: string, label: string): boolean {
  if (pattern === label) return true;
  return pattern.endsWith('.*') && label.split('.')[0] === pattern.slice(0, -2);
}

function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, each: unknown) =>
    typeof each === 'object' && each !== null && !Array.isArray(each)
      ? Object.fromEntries(Object.entries(each).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : each,
  );
}
