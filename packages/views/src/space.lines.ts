import { formatApprovalRule } from '@aish/contracts/approvals';
import { formatWindow } from '@aish/contracts/change-windows';
import { formatEscalation } from '@aish/contracts/escalation';
import type { NetworkPolicy } from '@aish/contracts/network';
import type { Space } from '@aish/contracts/spaces';
import { line, type Line } from './line.js';
import { cleanText, oneLine } from './sanitise.js';

/** Formats all details of a space. */
export function spaceLines(space: Space): Line[] {
  const {
    name,
    hostFolders,
    hosts,
    secrets,
    image,
    limits,
    mcpServers,
    preset,
    stepBudget,
    tokenBudget,
    users,
    deciders,
    changedBy,
  } = space;
  const row = (label: string, value: string): Line => line(`${label.padEnd(12)}${oneLine(value)}`);
  const text = cleanText(space.instructions.trim());
  return [
    row('space', name),
    networkLine(space.network),
    row('folders', hostFolders.join('  ') || 'none'),
    row('hosts', hosts.join('  ') || 'none'),
    row('secrets', secrets.join('  ') || 'none'),
    runsInLine(image, limits),
    row('mcp', mcpServers === null ? 'all servers' : mcpServers.join('  ') || 'none'),
    row('preset', preset ?? 'the default'),
    row('steps', stepBudget === null ? 'the default' : String(stepBudget)),
    row('tokens', tokenBudget === null ? 'no limit' : String(tokenBudget)),
    row('users', people(users)),
    row('deciders', people(deciders)),
    ...ruleLines(space),
    row('changed by', changedBy ?? 'nobody'),
    ...(text === '' ? [] : [line(''), ...text.split('\n').map((each) => line(each))]),
  ];
}

function people(names: readonly string[] | null): string {
  return names === null ? 'everyone' : names.join('  ') || 'admins only';
}

/** Formats the rules of a space, if it has any: change windows, approvals, escalation. */
function ruleLines({ windows, approvals, escalation }: Pick<Space, 'windows' | 'approvals' | 'escalation'>): Line[] {
  const row = (label: string, value: string): Line => line(`${label.padEnd(12)}${oneLine(value)}`);
  return [
    ...windows.map((window) => row('window', formatWindow(window))),
    ...approvals.map((rule) => row('approve', formatApprovalRule(rule))),
    ...escalation.map((step) => row('escalate', formatEscalation(step))),
  ];
}

export function networkLine(policy: NetworkPolicy): Line {
  const rules = policy.mode === 'none' ? [] : policy.rules;
  const allowed = rules.map((rule) => `${rule.host}:${rule.ports.join(',')}${rule.private ? ' (private)' : ''}`);
  return line(`network     ${oneLine(allowed.join('  ') || 'none')}`);
}

/** Formats the image and limits for a space's commands. */
function runsInLine(image: string | null, limits: object): Line {
  const words = Object.entries(limits).map(([name, value]) => `${name} ${String(value)}`);
  return line(`${'image'.padEnd(12)}${[oneLine(image ?? 'the default'), ...words].join('  ')}`);
}
