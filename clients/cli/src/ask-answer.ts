import type { Decision, GiveVerdict } from '@aish/contracts/decisions';
import { CERTIFICATE_FORMAT } from '@aish/contracts/needs';
import { isAishError } from '@aish/contracts/problems';
import type { Field } from '@aish/views/form/fields';
import { answerOf, fieldsOf } from '@aish/views/form/read-form';
import { oneLine } from '@aish/views/sanitise';
import { LineAsker } from './ask-line.js';
import type { Io } from '@aish/client/io';
import { readHidden } from './read-hidden.js';
import { readCertificate } from './secret.command.js';

/** A model's question has one answer in words; an empty line is none. */
async function askWords(lines: LineAsker, number: number): Promise<GiveVerdict | null> {
  for (;;) {
    const said = await lines.ask(`    your answer (or elsewhere: aish decide d-${number} skip): `);
    if (said === null) return null;
    if (said.trim() !== '') return { verdict: 'proceed', answer: { answer: said.trim() } };
    lines.say('an empty line is no answer');
  }
}

/** How to answer at all, by the word or its first letter: yes, no and neither. */
const HOW = {
  need: ['give', 'refuse', 'abort'],
  elicitation: ['answer', 'decline', 'cancel'],
} as const;
const VERDICTS = ['proceed', 'skip', 'abort'] as const;

/** Asks how to answer. What ends the goal or the exchange has to be said twice. */
async function askHow(lines: LineAsker, kind: keyof typeof HOW): Promise<(typeof VERDICTS)[number] | null> {
  const words = HOW[kind];
  const letters = words.map((word) => word.slice(0, 1));
  const read = (answer: string): (typeof VERDICTS)[number] | undefined =>
    VERDICTS.find((_verdict, at) => [letters[at], words[at]].includes(answer.toLowerCase()));
  const question = `    ${words.join(' / ')}? [${letters.join('/')}] `;
  const verdict = await lines.askUntil(question, words.join(', '), read);
  if (verdict !== 'abort' || kind !== 'need') return verdict;
  const again = await lines.askUntil('    a again aborts; any other answer takes it back: ', '', (said) => said);
  if (again === null) return null;
  return read(again) === 'abort' ? 'abort' : askHow(lines, kind);
}

/**
 * Asks at a terminal for what a server wants to know, or what a model needs: whether to answer at all, then each value, until all fit.
 * @returns the verdict to give; null when the person wants out.
 */
export async function askAnswer({ kind, number, request }: Decision, io: Io): Promise<GiveVerdict | null> {
  let lines = new LineAsker(io);
  const askFor = async (field: Field): Promise<string | null> => {
    // While the terminal hides what is typed, nothing else may read from it.
    if (!field.isHidden || io.stdin.isTTY !== true) return lines.ask(promptOf(field), field.initial);
    lines.close();
    try {
      return await readHidden(io, promptOf(field));
    } finally {
      lines = new LineAsker(io);
    }
  };
  /** Asked for again where it names a file that does not do. */
  const valueFor = async (field: Field): Promise<string | null> => {
    for (;;) {
      const given = await askFor(field);
      if (given === null || !isOfFile(field) || given.trim() === '')
        return given === null ? null : valueOf(field, given);
      try {
        return await readCertificate(given.trim());
      } catch (error) {
        if (!isAishError(error, 'invalid_body')) throw error;
        io.stderr.write(`    ${oneLine(error.message)}\n`);
      }
    }
  };
  try {
    if (kind === 'question') return await askWords(lines, number);
    const verdict = await askHow(lines, kind === 'need' ? 'need' : 'elicitation');
    if (verdict !== 'proceed') return verdict === null ? null : { verdict };
    const fields = request === null ? [] : fieldsOf(request);
    const values = fields.map(({ initial }) => initial);
    let from = 0;
    for (;;) {
      for (const [at, field] of fields.entries()) {
        if (at < from) continue;
        const value = await valueFor(field);
        if (value === null) return null;
        values[at] = value;
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

/** Many lines are not typed at a prompt. */
function isOfFile({ bounds }: Field): boolean {
  return bounds.format === CERTIFICATE_FORMAT;
}

function promptOf(field: Field): string {
  const { title, about, choices, isRequired } = field;
  const ways = choices.map((choice) => choice.title).join(' | ');
  const more = [about, ways, isOfFile(field) ? 'a file' : '', isRequired ? '' : 'may be empty'];
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
