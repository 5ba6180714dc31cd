import { formatApprovalRule, readApprovalRule } from '@aish/contracts/approvals';
import { formatWindow, parseWindow } from '@aish/contracts/change-windows';
import { formatEscalation, readEscalationStep } from '@aish/contracts/escalation';
import { formatNetworkRule, readNetworkRule, type NetworkPolicyInput } from '@aish/contracts/network';
import type { SetSpace, Space } from '@aish/contracts/spaces';
import { FieldError } from '../parts/field-errors.js';
import { readLines, wordsOf } from '../parts/words.js';
import { T } from '../texts.js';

type Change = Omit<SetSpace, 'network'> & { readonly network?: NetworkPolicyInput };

/** One property of a space. It says how the field shows the property, and what is sent for the field's content. */
export interface SpaceField {
  readonly name: string;
  readonly label: string;
  readonly help: string;
  readonly as: 'line' | 'lines' | 'number';
  readonly shown: (space: Space) => string;
  /** @throws Error if it cannot parse the text */
  readonly read: (text: string, space: Space) => Change;
}

const all = T.spaces;
const PRIVATE = / private$/;

export const SPACE_FIELDS: readonly SpaceField[] = [
  {
    name: 'network',
    label: all.network,
    help: all.networkHelp,
    as: 'lines',
    shown: ({ network }) =>
      network.mode === 'none'
        ? ''
        : network.rules.map((rule) => `${formatNetworkRule(rule)}${rule.private ? ' private' : ''}`).join('\n'),
    read: (text) => {
      const rules = readLines(
        text,
        (line) => {
          const rule = readNetworkRule(line.replace(PRIVATE, ''));
          return rule === null ? null : { ...rule, private: PRIVATE.test(line) };
        },
        'grafana.lan:3000 private',
      );
      return { network: rules.length === 0 ? { mode: 'none' } : { mode: 'allow', rules } };
    },
  },
  names('hostFolders', all.folders),
  names('hosts', all.hosts),
  names('secrets', all.secrets),
  {
    name: 'mcpServers',
    label: all.servers,
    help: all.serversHelp,
    as: 'line',
    shown: ({ mcpServers }) => mcpServers?.join(' ') ?? all.allServers,
    read: (text) => ({ mcpServers: text === all.allServers ? null : wordsOf(text) }),
  },
  people('users', all.people),
  people('deciders', all.deciders),
  {
    name: 'windows',
    label: all.windows,
    help: 'sat,sun 02:00-05:00 Europe/Berlin',
    as: 'lines',
    shown: ({ windows }) => windows.map(formatWindow).join('\n'),
    read: (text) => ({ windows: readLines(text, parseWindow, 'sat,sun 02:00-05:00 Europe/Berlin') }),
  },
  {
    name: 'approvals',
    label: all.approvals,
    help: '2 destructive not-author',
    as: 'lines',
    shown: ({ approvals }) => approvals.map(formatApprovalRule).join('\n'),
    read: (text) => ({ approvals: readLines(text, readApprovalRule, '2 files.*,disks.* not-author') }),
  },
  {
    name: 'escalation',
    label: all.escalation,
    help: '30m mail bob@example.org',
    as: 'lines',
    shown: ({ escalation }) => escalation.map(formatEscalation).join('\n'),
    read: (text) => ({ escalation: readLines(text, readEscalationStep, '30m mail bob@example.org') }),
  },
  {
    name: 'image',
    label: all.image,
    help: all.usualHelp,
    as: 'line',
    shown: ({ image }) => image ?? '',
    read: (text) => ({ image: text === '' ? null : text }),
  },
  {
    name: 'preset',
    label: all.preset,
    help: all.usualHelp,
    as: 'line',
    shown: ({ preset }) => preset ?? '',
    read: (text) => ({ preset: text === '' ? null : text }),
  },
  number('stepBudget', all.steps),
  number('tokenBudget', all.tokens),
  limit('memoryMb', all.memory),
  limit('cpus', all.cpus),
  {
    name: 'instructions',
    label: all.instructions,
    help: '',
    as: 'lines',
    shown: ({ instructions }) => instructions,
    read: (instructions) => ({ instructions }),
  },
];

/**
 * Returns the differences between the fields and the space that filled them. Unchanged fields are not sent.
 * @throws Error if a field cannot be parsed
 */
export function spaceChange(space: Space, value: (name: string) => string): Change {
  return SPACE_FIELDS.reduce<Change>((change, { name, shown, read }) => {
    const text = value(name);
    if (text === shown(space).trim()) return change;
    try {
      return { ...change, ...read(text, { ...space, limits: change.limits ?? space.limits }) };
    } catch (error) {
      throw new FieldError(name, error instanceof Error ? error.message : String(error));
    }
  }, {});
}

function names(name: 'hostFolders' | 'hosts' | 'secrets', label: string): SpaceField {
  return {
    name,
    label,
    help: all.namesHelp,
    as: 'line',
    shown: (space) => space[name].join(' '),
    read: (text) => ({ [name]: wordsOf(text) }),
  };
}

function people(name: 'users' | 'deciders', label: string): SpaceField {
  return {
    name,
    label,
    help: all.peopleHelp,
    as: 'line',
    shown: (space) => space[name]?.join(' ') ?? all.everyone,
    read: (text) => ({ [name]: text === all.everyone ? null : wordsOf(text) }),
  };
}

function number(name: 'stepBudget' | 'tokenBudget', label: string): SpaceField {
  return {
    name,
    label,
    help: all.usualHelp,
    as: 'number',
    shown: (space) => String(space[name] ?? ''),
    read: (text) => ({ [name]: text === '' ? null : Number(text) }),
  };
}

function limit(name: 'memoryMb' | 'cpus', label: string): SpaceField {
  return {
    name,
    label,
    help: all.usualHelp,
    as: 'number',
    shown: ({ limits }) => String(limits[name] ?? ''),
    read: (text, { limits }) => {
      const others = Object.fromEntries(Object.entries(limits).filter(([limited]) => limited !== name));
      return { limits: text === '' ? others : { ...others, [name]: Number(text) } };
    },
  };
}
