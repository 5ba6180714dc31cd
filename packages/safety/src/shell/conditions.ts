import type { SyntaxNode, Word } from 'unbash';

const EXISTS = new Set(['-e', '-f', '-s', '-a']);

/** The path that is not there when `test` succeeded (or failed): `[ ! -e x ]` and its other spellings. */
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
