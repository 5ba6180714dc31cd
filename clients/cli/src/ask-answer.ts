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

/** Asks for the answer to a model's question, which is one text in words. An empty line does not count. */
async function askWords(lines: LineAsker, number: number): Promise<GiveVerdict | null> {
  for (;;) {
    const typedAnswer = await lines.ask(`    your answer (or from another terminal: aish decide d${number} skip): `);
    if (typedAnswer === null) return null;
    if (typedAnswer.trim() !== '') return { verdict: 'proceed', answer: { answer: typedAnswer.trim() } };
    lines.say('an empty line is not an answer');
  }
}

/** The ways to answer. A person types the word or its first letter. */
const HOW = {
  need: ['give', 'refuse', 'abort'],
  elicitation: ['answer', 'decline', 'cancel'],
} as const;
const VERDICTS = ['proceed', 'skip', 'abort'] as const;

/** Asks how to answer. A person confirms an answer that ends the goal or the exchange by typing it twice. */
async function askHow(lines: LineAsker, kind: keyof typeof HOW): Promise<(typeof VERDICTS)[number] | null> {
  const words = HOW[kind];
  const letters = words.map((word) => word.slice(0, 1));
  const read = (answer: string): (typeof VERDICTS)[number] | undefined =>
    VERDICTS.find((_verdict, at) => [letters[at], words[at]].includes(answer.toLowerCase()));
  const question = `    ${words.join(' / ')}? [${letters.join('/')}] `;
  const verdict = await lines.askUntil(question, words.join(', '), read);
  if (verdict !== 'abort' || kind !== 'need') return verdict;
  const again = await lines.askUntil('    press a again to abort, or give another answer: ', '', (reply) => reply);
  if (again === null) return null;
  return read(again) === 'abort' ? 'abort' : askHow(lines, kind);
}

/**
 * Asks at a terminal for the values that a server or a model needs. It first asks whether to answer, then for each
 * value until all are valid. @returns the verdict, or null if the person leaves
 */
export async function askAnswer({ kind, number, request }: Decision, io: Io): Promise<GiveVerdict | null> {
  let lines = new LineAsker(io);
  const askFor = async (field: Field): Promise<string | null> => {
    // While input is hidden, no other reader may read from the terminal.
    if (!field.isHidden || io.stdin.isTTY !== true) return lines.ask(promptOf(field), field.initial);
    lines.close();
    try {
      return await readHidden(io, promptOf(field));
    } finally {
      lines = new LineAsker(io);
    }
  };
  /** Asks again if the named file cannot be used. */
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

/** Returns whether the value is read from a file, because nobody types several lines at a prompt. */
function isOfFile({ bounds }: Field): boolean {
  return bounds.format === CERTIFICATE_FORMAT;
}

function promptOf(field: Field): string {
  const { title, about, choices, isRequired } = field;
  const ways = choices.map((choice) => choice.title).join(' | ');
  const more = [about, ways, isOfFile(field) ? 'a file' : '', isRequired ? '' : 'optional'];
  const hints = more.filter((part) => part !== '').map(oneLine);
  return `    ${oneLine(title)}${hints.length === 0 ? '' : ` (${hints.join('; ')})`}: `;
}

/**
 * Returns the value for a typed choice. A person types a choice by its title or its value, and separates several with
 * commas.
 */
function valueOf({ kind, choices }: Field, typed: string): string {
  const chosen = (text: string): string =>
    choices.find(({ title, value }) => title === text.trim() || value === text.trim())?.value ?? text.trim();
  if (kind === 'choices') return typed.split(',').map(chosen).join('\n');
  return kind === 'choice' || kind === 'yes or no' ? chosen(typed) : typed;
}
