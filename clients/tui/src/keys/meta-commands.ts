/** What may be typed after a colon. The help is made of this table. */
export const META_COMMANDS = [
  { name: 'norris', usage: ':norris <goal>', does: 'give Norris a goal; text without a colon does the same' },
  { name: 'norris', usage: ':norris off', does: 'cancel the chosen goal (asks first)' },
  { name: 'goals', usage: ':goals', does: 'list the goals again' },
  { name: 'safety', usage: ':safety patterns', does: 'the rules that stop a command' },
  { name: 'safety', usage: ':safety check <command>', does: 'say whether it is destructive; runs nothing' },
  { name: 'help', usage: ':help', does: 'this help' },
  { name: 'quit', usage: ':quit', does: 'quit; goals go on without you' },
] as const;

export type PromptLine =
  | { readonly type: 'goal'; readonly text: string }
  | { readonly type: 'norris off' | 'goals' | 'help' | 'quit' }
  | { readonly type: 'safety patterns' }
  | { readonly type: 'safety check'; readonly command: string }
  | { readonly type: 'wrong'; readonly message: string };

/** Reads what was typed into the prompt. */
export function parsePrompt(text: string): PromptLine {
  const trimmed = text.trim();
  if (!trimmed.startsWith(':')) return { type: 'goal', text: trimmed };
  const [, name = '', rest = ''] = /^:(\S*)\s*([\s\S]*)$/.exec(trimmed) ?? [];
  switch (name) {
    case 'norris':
      if (rest === '') return { type: 'wrong', message: 'write the goal after :norris' };
      return rest === 'off' ? { type: 'norris off' } : { type: 'goal', text: rest };
    case 'safety': {
      const command = /^check\s+(\S[\s\S]*)$/.exec(rest)?.[1];
      if (command !== undefined) return { type: 'safety check', command };
      if (rest === 'patterns') return { type: 'safety patterns' };
      return { type: 'wrong', message: ':safety patterns, or :safety check and a command' };
    }
    case 'goals':
    case 'help':
    case 'quit':
      return { type: name };
    default:
      return { type: 'wrong', message: `there is no command :${name}; :help lists them` };
  }
}
