import type { Classification, SafetyRule } from '@aish/contracts';
import type { Model } from '../model.js';
import { line, span, type Line } from '../text/line.js';
import { oneLine } from '../text/sanitise.js';

/** A page never hides a question that waits. */
function withPage(model: Model, title: string, lines: readonly Line[]): Model {
  if (model.overlay !== null && model.overlay.type !== 'help') return model;
  return { ...model, overlay: { type: 'help', top: 0, answer: { title, lines } } };
}

export function withSafetyRules(model: Model, rules: readonly SafetyRule[]): Model {
  const lines = rules.map(({ id, title, why }): Line => [
    span(`  ${oneLine(id)}  `, 'bold'),
    span(`${oneLine(title)}: `),
    span(oneLine(why), 'dim'),
  ]);
  return withPage(model, `SAFETY  ${rules.length} rules`, lines);
}

export function withSafetyAnswer(model: Model, command: string, answer: Classification): Model {
  const { verdict, reason, ruleId, span: guilty, by } = answer;
  const style = verdict === 'safe' ? 'good' : verdict === 'destructive' ? 'bad' : 'warn';
  const lines: Line[] = [
    line(`  $ ${oneLine(command)}`),
    line(''),
    [span(`  ${verdict}`, style), span(reason === null ? '' : `: ${oneLine(reason)}`)],
    line(
      `  by ${by === 'rule' ? 'the rules' : 'a second opinion'}${ruleId === null ? '' : `, ${oneLine(ruleId)}`}`,
      'dim',
    ),
  ];
  if (guilty !== null) lines.push(line(`  because of: ${oneLine(command.slice(guilty[0], guilty[1]))}`));
  return withPage(model, 'SAFETY', lines);
}
