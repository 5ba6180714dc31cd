import { plural } from '@aish/views/plural';
import type { Msg } from '../messages.js';
import { just, type Model, type Update } from '../model.js';
import { textOf } from '@aish/views/line';
import { withFlash } from './flash.js';
import { showView, withPane } from './panes.update.js';

type MetaAnswer = Extract<Msg, { type: 'metaDone' }>;

/** What a command of the table has printed, and what it has led to. */
export function metaAnswered(model: Model, answer: MetaAnswer): Update {
  return answer.candidates > 0 ? showCandidates(model, answer) : just(showAnswer(model, answer));
}

/** A short answer is said, a long one gets a page; neither hides a question that waits. */
function showAnswer(model: Model, { title, lines, isGood, yes, older, isPage, output }: MetaAnswer): Model {
  const [only] = lines;
  if (lines.length <= 1 && isPage !== true) {
    const text = only === undefined ? (isGood ? 'done' : `${title}: failed`) : textOf(only);
    return withFlash(model, text, isGood ? 'good' : 'bad');
  }
  if (model.overlay !== null && model.overlay.type !== 'page')
    return withFlash(model, `${title}: done, but its answer has no room here: Esc puts the question away`, 'good');
  return {
    ...model,
    flash: null,
    search: null,
    overlay: {
      type: 'page',
      title,
      top: 0,
      lines,
      yes,
      ...(older !== undefined && { older }),
      ...(output !== undefined && { output }),
    },
  };
}

/** Proposals are answered in the memory, where they come first. A person who does something else gets a note. */
function showCandidates(model: Model, { lines, candidates }: MetaAnswer): Update {
  const text = [`${plural(candidates, 'proposal waits', 'proposals wait')} in the memory`, ...lines.map(textOf)];
  const told = withFlash(model, text.join(' · '), 'good');
  if (model.overlay !== null || model.prompt.text !== '') return just(told);
  const shown = showView(withPane(told, 'memory', { chosen: null, filter: '' }), 'memory');
  return { ...shown, model: { ...shown.model, isUnasked: true } };
}
