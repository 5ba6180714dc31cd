import type { Decision } from '@aish/contracts/decisions';
import { grantableRule } from '@aish/contracts/decision-rules';
import { hasCarried, toolCall } from '@aish/views/decision.format';
import { isChosen, maskOf, type Field } from '@aish/views/form/fields';
import type { Draft, FormDraft, HaltDialog } from '../model.js';
import { line, span, type Line, type Span } from '@aish/views/line';
import { oneLine, showExact } from '@aish/views/sanitise';
import { wrapText } from '@aish/views/text/wrap';

/** Returns the content of the dialog while an answer is written. */
export function draftLines({ draft, decision }: HaltDialog, width: number): readonly Line[] {
  if (draft === null) return [];
  switch (draft.type) {
    case 'edit':
      return wrapText('Edit the command below. It is checked again, and then runs or waits for you.', 'accent', width);
    case 'message':
      return wrapText('Write to the model below. It reads your note with your verdict.', 'accent', width);
    case 'grant':
      return grantLines(decision, width);
    case 'form':
      return formLines(draft, width);
  }
}

export function draftKeys({ draft, decision }: { readonly draft: Draft; readonly decision: Decision }): Line {
  switch (draft.type) {
    case 'edit':
      return [...key('Enter', 'send'), ...key('Ctrl-J', 'line'), ...key('Esc', 'back')];
    case 'message':
      return [...key('Enter', 'keep it'), ...key('Ctrl-J', 'line'), ...key('Esc', 'back')];
    case 'grant':
      return [...key('c', `this ${actionWord(decision)}`), ...key('r', 'this rule'), ...key('Esc', 'back')];
    case 'form':
      return [...key('Enter', 'next'), ...key('↑ ↓', 'field'), ...formKeys(draft), ...key('Esc', 'back')];
  }
}

export function key(name: string, does: string): Line {
  return [span(name, 'accent'), span(` ${does}  `)];
}

/** Returns the keys with the one that is held back marked. */
export function markHeld(keys: Line, name: string | null): Line {
  const at = keys.findIndex(({ text }) => text === name);
  const does = keys[at + 1];
  if (at < 0 || does === undefined) return keys;
  const taken = [span(`${name}${does.text.trimEnd()}…`, 'selected'), span(' ')];
  return [...keys.slice(0, at), ...taken, ...keys.slice(at + 2)];
}

function formKeys({ fields, at }: FormDraft): Line {
  const field = fields[at];
  if (field === undefined || !isChosen(field)) return [];
  return field.kind === 'choices' ? key('1…9', 'in or out') : key('← →', 'choose');
}

/** Returns the word for the action that a person allows: a command, or a call of a tool. */
function actionWord({ action }: Decision): string {
  return toolCall(action) === null ? 'command' : 'call';
}

function grantLines(decision: Decision, width: number): readonly Line[] {
  const { goalNumber, goalId, classification, executionContext } = decision;
  const ruleId = grantableRule(classification);
  const rule =
    ruleId === null
      ? `no single rule stopped it, so you can only grant the ${actionWord(decision)}`
      : `everything that the rule ${oneLine(ruleId)} stops`;
  return [
    ...wrapText(
      `It runs now. For the rest of ${goalId === null ? 'this chat' : `goal ${goalNumber ?? '?'}`}, aish does not ask again about:`,
      'accent',
      width,
    ),
    [span('  c  ', 'bold'), span(`this exact ${actionWord(decision)}`)],
    [span('  r  ', 'bold'), span(rule, ruleId === null ? 'dim' : 'plain')],
    ...(hasCarried(executionContext)
      ? [[span('  w  ', 'bold'), span('with these variables, every command that is safe without them')]]
      : []),
  ];
}

function formLines({ fields, values, at }: FormDraft, width: number): readonly Line[] {
  const label = Math.min(24, Math.max(...fields.map(({ title }) => oneLine(title).length)));
  const rows = fields.flatMap((field, index): readonly Line[] => {
    const isHere = index === at;
    const name = `${oneLine(field.title)}${field.isRequired ? ' *' : ''}`.padEnd(label + 2);
    const row: Line = [
      span(isHere ? '▸ ' : '  ', 'accent'),
      span(`${name}  `, isHere ? 'bold' : 'plain'),
      ...shown(field, values[index] ?? ''),
    ];
    const about = isHere && field.about !== '' ? wrapText(oneLine(field.about), 'dim', width, { indent: '    ' }) : [];
    return [row, ...about];
  });
  const isLast = at === fields.length;
  return [
    ...rows,
    [span(isLast ? '▸ ' : '  ', 'accent'), span('[ send ]', isLast ? 'selected' : 'dim')],
    line('* is required', 'dim'),
  ];
}

function shown({ kind, choices, isHidden }: Field, value: string): readonly Span[] {
  if (isHidden) return [span(value === '' ? '(not shown)' : maskOf(value), value === '' ? 'dim' : 'plain')];
  if (kind === 'text' || kind === 'number' || kind === 'integer') {
    return [
      span(value === '' ? `(${kind})` : showExact(value).replaceAll('\n', '\\n'), value === '' ? 'dim' : 'plain'),
    ];
  }
  const chosen = value.split('\n');
  return choices.flatMap((choice, index): Span[] => {
    const isIn = value !== '' && chosen.includes(choice.value);
    const mark = kind === 'choices' ? `${index + 1}${isIn ? '☑' : '☐'} ` : isIn ? '● ' : '○ ';
    return [span(`${mark}${oneLine(choice.title)}  `, isIn ? 'good' : 'dim')];
  });
}
