import type { Decision, GiveVerdict } from '@aish/contracts/decisions';
import type { Field } from '../form/fields.js';
import { answerOf, fieldsOf } from '../form/read-form.js';
import { oneLine } from '@aish/views/sanitise';
import { LineAsker } from './ask-line.js';
import type { Io } from './io.js';

/** A model's question has one answer in words; an empty line is none. */
async function askWords(lines: LineAsker, number: number): Promise<GiveVerdict | null> {
  for (;;) {
    const said = await lines.ask(`    your answer (or elsewhere: aish decide d-${number} skip): `);
    if (said === null) return null;
    if (said.trim() !== '') return { verdict: 'proceed', answer: { answer: said.trim() } };
  }
}

/**
 * Asks at a terminal for what a server wants to know: whether to answer at all, then each value, until all fit.
 * @returns the verdict to give; null when the person wants out.
 */
export async function askAnswer({ kind, number, request }: Decision, io: Io): Promise<GiveVerdict | null> {
  const lines = new LineAsker(io);
  try {
    if (kind === 'question') return await askWords(lines, number);
    const how = await lines.ask('    answer / decline / cancel? [a/d/c] ');
    const key = how?.trim().toLowerCase().at(0);
    if (key === 'd') return { verdict: 'skip' };
    if (key === 'c') return { verdict: 'abort' };
    if (key !== 'a') return null;
    const fields = request === null ? [] : fieldsOf(request);
    const values = fields.map(({ initial }) => initial);
    let from = 0;
    for (;;) {
      for (const [at, field] of fields.entries()) {
        if (at < from) continue;
        const given = await lines.ask(promptOf(field), field.initial);
        if (given === null) return null;
        values[at] = valueOf(field, given);
      }
      const read = answerOf(fields, values);
      if ('answer' in read) return { verdict: 'proceed', answer: { ...read.answer } };
      io.stderr.write(`    ${read.trouble}\n`);
      from = read.at;
    }
  } finally {
    lines.close();
  }
}

function promptOf({ title, about, choices, isRequired }: Field): string {
  const more = [about, choices.map((choice) => choice.title).join(' | '), isRequired ? '' : 'may be empty'];
  const said = more.filter((part) => part !== '').map(oneLine);
  return `    ${oneLine(title)}${said.length === 0 ? '' : ` (${said.join('; ')})`}: `;
}

/** A choice is typed by its title or its value; several are separated by commas. */
function valueOf({ kind, choices }: Field, typed: string): string {
  const chosen = (text: string): string =>
    choices.find(({ title, value }) => title === text.trim() || value === text.trim())?.value ?? text.trim();
  if (kind === 'choices') return typed.split(',').map(chosen).join('\n');
  return kind === 'choice' || kind === 'yes or no' ? chosen(typed) : typed;
}
