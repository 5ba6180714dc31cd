import { ElicitationAnswer } from '@aish/contracts/tools';
import { ArgumentChecker } from './check-arguments.js';

const VALUES_MAX_CHARS = 64 * 1024;
const Values = ElicitationAnswer.shape.content.unwrap();
const checker = new ArgumentChecker();

/** The values of a valid answer, or the fault of an invalid one. */
export type CheckedAnswer = { readonly values: NonNullable<ElicitationAnswer['content']> } | { readonly fault: string };

/**
 * Checks a person's answer to a server's question by the question's schema. The schema is flat, with strings, numbers,
 * yes or no, and choices. Missing values get the question's defaults.
 *
 * @param request null if the question only asks for a yes.
 */
export function checkAnswer(
  request: Readonly<Record<string, unknown>> | null,
  given: Readonly<Record<string, unknown>>,
): CheckedAnswer {
  const values = { ...proposed(request), ...given };
  const text = JSON.stringify(values);
  if (text.length > VALUES_MAX_CHARS) return { fault: `the answer is longer than ${VALUES_MAX_CHARS} characters` };
  if (request === null && Object.keys(given).length > 0) return { fault: 'the question asks for no values' };
  const flat = Values.safeParse(values);
  if (!flat.success) return { fault: 'each value is a text, a number, true or false, or a list of texts' };
  const checked = checker.check(text, { type: 'object', ...request });
  if ('fault' in checked) return { fault: checked.fault.replace('the arguments do', 'the answer does') };
  return { values: flat.data };
}

function proposed(request: Readonly<Record<string, unknown>> | null): Record<string, unknown> {
  const properties = request?.['properties'];
  if (typeof properties !== 'object' || properties === null) return {};
  return Object.fromEntries(
    Object.entries(properties).flatMap(([name, schema]: [string, unknown]) =>
      typeof schema === 'object' && schema !== null && 'default' in schema ? [[name, schema.default]] : [],
    ),
  );
}
