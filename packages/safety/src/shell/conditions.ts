import type { ArithmeticExpression, SyntaxNode, Word } from 'unbash';

const EXISTS = new Set(['-e', '-f', '-s', '-a']);

/** Returns the path that does not exist if `test` succeeded (or failed): `[ ! -e x ]` and its other spellings. */
export function absentPath(test: SyntaxNode, succeeded: boolean): Word | null {
  if (test.type === 'Pipeline' && test.commands.length === 1 && test.prefixes.some(({ type }) => type === 'Negation')) {
    const only = test.commands[0];
    return only === undefined ? null : absentPath(only, !succeeded);
  }
  if (test.type === 'TestCommand') {
    const { expression } = test;
    if (expression.type === 'TestNot' && expression.negations.length === 1 && expression.operand.type === 'TestUnary') {
      return succeeded && EXISTS.has(expression.operand.operator) ? expression.operand.operand : null;
    }
    return !succeeded && expression.type === 'TestUnary' && EXISTS.has(expression.operator) ? expression.operand : null;
  }
  if (test.type !== 'Command' || (test.name?.value !== '[' && test.name?.value !== 'test')) return null;
  const words = test.args.flatMap((arg) => (arg.type === 'Word' && arg.value !== ']' ? [arg] : []));
  const negated = words[0]?.value === '!';
  const [operator, path] = negated ? words.slice(1) : words;
  if (words.length !== (negated ? 3 : 2) || path === undefined || operator === undefined) return null;
  return EXISTS.has(operator.value) && negated === succeeded ? path : null;
}

/**
 * Whether a test always succeeds (`true`, `[ 1 ]`, `((1))`) or always fails. Null if the result is known only when it
 * runs.
 */
export function constantTest(test: SyntaxNode | undefined): boolean | null {
  if (test?.type === 'Pipeline') {
    const only = test.commands.length === 1 ? constantTest(test.commands[0]) : null;
    const negations = test.prefixes.filter(({ type }) => type === 'Negation').length;
    return only === null ? null : only !== (negations % 2 === 1);
  }
  if (test?.type === 'TestCommand') {
    const { expression } = test;
    if (expression.type === 'TestUnary') return constantUnary(expression.operator, literal(expression.operand));
    if (expression.type !== 'TestBinary') return null;
    return constantBinary(literal(expression.left), expression.operator, literal(expression.right));
  }
  if (test?.type === 'ArithmeticCommand') return constantNumber(test.expression);
  if (test?.type !== 'Command') return null;
  return constantCommand(
    test.name?.value,
    test.args.map((arg) => (arg.type === 'Word' ? literal(arg) : null)),
  );
}

/** Whether a condition is a plain number. Null if it must be calculated. */
export function constantNumber(expression: ArithmeticExpression | undefined): boolean | null {
  return expression?.type === 'ArithmeticWord' && /^\d+$/.test(expression.value)
    ? !/^0+$/.test(expression.value)
    : null;
}

function constantCommand(name: string | undefined, args: readonly (string | null)[]): boolean | null {
  if (name === 'true' || name === ':') return true;
  if (name === 'false') return false;
  if (name === 'sleep') return args.length === 1 && /^0+$/.test(args[0] ?? '') ? true : null;
  if (name !== '[' && name !== 'test') return null;
  const [left = null, middle = null, right = null] = name === '[' ? args.slice(0, -1) : args;
  const { length } = name === '[' ? args.slice(0, -1) : args;
  if (length === 1) return constantUnary('-n', left);
  if (length === 2) return left === '!' ? not(constantUnary('-n', middle)) : constantUnary(left, middle);
  return length === 3 && middle !== null ? constantBinary(left, middle, right) : null;
}

function constantUnary(operator: string | null, operand: string | null): boolean | null {
  if (operand === null || (operator !== '-n' && operator !== '-z')) return null;
  return (operand !== '') === (operator === '-n');
}

function constantBinary(left: string | null, operator: string, right: string | null): boolean | null {
  if (left === null || right === null) return null;
  if (operator === '=' || operator === '==') return left === right;
  return operator === '-eq' && /^\d+$/.test(left) && /^\d+$/.test(right) ? Number(left) === Number(right) : null;
}

const not = (truth: boolean | null): boolean | null => (truth === null ? null : !truth);

/** Returns the value of a word without expansions. */
function literal(word: Word): string | null {
  return /[$`*?[\]]/.test(word.text) ? null : word.value;
}
