import { plural } from '@aish/contracts/plural';
import type { Msg } from '../messages.js';
import { just, type Model, type Page, type Update } from '../model.js';
import { textOf } from '@aish/views/line';
import { withFlash } from './flash.js';
import { showView, withPane } from './panes.update.js';
import { isCovered } from '../views/inline.view.js';
import { pageLines } from '../views/scrollable.js';

type MetaAnswer = Extract<Msg, { type: 'metaDone' }>;

/** Handles the output of a command. */
export function metaAnswered(model: Model, answer: MetaAnswer): Update {
  return answer.candidates > 0 ? showCandidates(model, answer) : just(showAnswer(model, answer));
}

/** Shows a short answer as a message and a long one as a page. A page waits until nothing else covers the screen. */
function showAnswer(model: Model, { title, lines, isGood, yes, older, isPage, output }: MetaAnswer): Model {
  const [only] = lines;
  if (lines.length <= 1 && isPage !== true) {
    const text = only === undefined ? (isGood ? 'done' : `${title}: failed`) : textOf(only);
    return withFlash(model, text, isGood ? 'good' : 'bad');
  }
  const page: Page = {
    type: 'page',
    title,
    top: 0,
    lines,
    yes,
    ...(older !== undefined && { older }),
    ...(output !== undefined && { output }),
  };
  // Inline, the answer becomes part of the text above the prompt, which scrolls and stays.
  const isText = yes === null && older === undefined && output === undefined && isPage !== true;
  if (model.isInline && isText && !isCovered(model)) {
    const printout = { title, lines: pageLines(page, model.size.cols - 1) };
    return { ...model, flash: null, printouts: [...model.printouts, printout] };
  }
  const { overlay } = model;
  const isReplaced = overlay?.type === 'page' && (overlay.isLeft === true || overlay.title === title);
  if (overlay === null || isReplaced) return openPage(model, page);
  const covered = { ...model, answers: [...model.answers.filter((each) => each.title !== title), page] };
  return withFlash(covered, `${title}: done. The result opens after this`, 'good');
}

/** Opens the next page that waits, once nothing covers the screen. */
export function offerAnswer(model: Model): Model {
  const [next, ...answers] = model.answers;
  if (next === undefined || model.overlay !== null || model.search !== null || model.hasPrefix) return model;
  return openPage({ ...model, answers }, next);
}

function openPage(model: Model, page: Page): Model {
  return { ...model, flash: null, search: null, overlay: page };
}

/** Opens proposals at the top of the memory. A person who does something else gets a message instead. */
function showCandidates(model: Model, { lines, candidates }: MetaAnswer): Update {
  const text = [`${plural(candidates, 'proposal', 'proposals')} to review in the memory`, ...lines.map(textOf)];
  const told = withFlash(model, text.join(' · '), 'good');
  if (model.overlay !== null || model.prompt.text !== '') return just(told);
  const shown = showView(withPane(told, 'memory', { chosen: null, filter: '' }), 'memory');
  return { ...shown, model: { ...shown.model, isUnasked: true } };
}
