import {
  GOAL_OPTIONS,
  goalOptionTakes,
  readGoalOption,
  type GoalOption,
  type GoalOptions,
} from '@aish/views/goal.options';
import { InvalidArgumentError } from 'commander';
import { choice, flag, option, repeated, type Option } from './command.js';

/** Returns these options of a goal (default: all) as options of a command. */
export function goalOptions<const N extends keyof GoalOptions>(
  ...names: readonly N[]
): { readonly [K in N]: Option<GoalOptions[K]> };
export function goalOptions(...names: readonly string[]): Readonly<Record<string, Option>> {
  const entries = Object.entries<GoalOption>(GOAL_OPTIONS);
  const chosen = entries.filter(([name]) => names.length === 0 || names.includes(name));
  return Object.fromEntries(chosen.map(([name, each]) => [name, flagOf(each)]));
}

function flagOf(each: GoalOption): Option {
  const { is, takes, about, choices } = each;
  if (is === 'flag') return flag(about);
  if (is === 'names') return repeated(takes, about);
  if (choices !== undefined) return choice(takes, about, choices);
  const read = (text: string): string | number => {
    const value = readGoalOption(each, text);
    if (value === undefined) throw new InvalidArgumentError(`It must be ${goalOptionTakes(each)}.`);
    return value;
  };
  return option(takes, about, { read });
}
