import { completeMeta } from '../meta/meta-commands.js';
import type { Completion, CompletionItem } from '../view-state.js';
import type { Goal } from '@aish/contracts/goals';
import type { Effect, Msg } from '../messages.js';
import { activeGoals, shownSession, type Model, type Update } from '../model.js';

const MAX_ITEMS = 50;

/** Completes an @name or the command in the prompt: first the unambiguous part, then with a list of choices. */
export function complete(model: Model, by: 1 | -1): Update {
  const { prompt, completion } = model;
  if (completion !== null) return { model: choose(model, completion, by), effects: [] };
  const before = prompt.text.slice(0, prompt.cursor);
  const named = /(?<=^|\s)@\S*$/.exec(before);
  if (named !== null) {
    const [word] = named;
    const folder = word.slice(1, word.lastIndexOf('/') + 1);
    const sessionId = shownSession(model);
    const goals = goalNames(model.goals ?? []);
    const effect: Effect = { type: 'suggestNames', sessionId, folder, goals, from: named.index, text: prompt.text };
    return { model, effects: [effect] };
  }
  if (!before.trimStart().startsWith(':')) return { model, effects: [] };
  const { from, items, ask } = completeMeta(before);
  if (ask === 'presets') {
    return {
      model: offer(
        model,
        from,
        model.models.map(({ preset, model: name }) => ({ text: preset, about: name ?? '' })),
      ),
      effects: [],
    };
  }
  if (ask === 'goals') {
    return { model: offer(model, from, goalNames(activeGoals(model))), effects: [] };
  }
  if (ask !== null) return { model, effects: [{ type: 'suggest', words: [ask], from, text: prompt.text }] };
  return { model: offer(model, from, items), effects: [] };
}

export function goalNames(goals: readonly Goal[]): readonly CompletionItem[] {
  return goals.map(({ number, text }) => ({ text: `g${number}`, about: text }));
}

/** Shows names from the server. After a part of them more will follow, so none of that part is inserted. */
export function suggested(model: Model, { from, text, items, isPartial }: Extract<Msg, { type: 'suggested' }>): Model {
  const { completion, prompt } = model;
  const matching = items.filter((each) => each.text.startsWith(text.slice(from))).slice(0, MAX_ITEMS);
  // A person who has continued to type now wants something else.
  if (prompt.text === text) {
    if (isPartial !== true) return offer(model, from, items);
    return matching.length === 0 ? model : { ...model, completion: { items: matching, chosen: -1, from } };
  }
  if (isPartial === true || completion === null || completion.chosen < 0 || completion.from !== from) return model;
  const more = matching.filter((each) => completion.items.every((old) => old.text !== each.text));
  return { ...model, completion: { ...completion, items: [...completion.items, ...more] } };
}

/** Inserts the common beginning of all candidates, and lists them if there are several. */
function offer(model: Model, from: number, candidates: readonly CompletionItem[]): Model {
  const typed = model.prompt.text.slice(from, model.prompt.cursor);
  const items = candidates.filter(({ text }) => text.startsWith(typed)).slice(0, MAX_ITEMS);
  const [first] = items;
  if (first === undefined) return model;
  if (items.length === 1) return put({ ...model, completion: null }, from, first.text);
  const common = items.reduce((shared, { text }) => commonStart(shared, text), first.text);
  return put({ ...model, completion: { items, chosen: -1, from } }, from, common);
}

function choose(model: Model, completion: Completion, by: 1 | -1): Model {
  const count = completion.items.length;
  const chosen = completion.chosen < 0 && by < 0 ? count - 1 : (completion.chosen + by + count) % count;
  return put(
    { ...model, completion: { ...completion, chosen } },
    completion.from,
    completion.items[chosen]?.text ?? '',
  );
}

function put(model: Model, from: number, word: string): Model {
  const { text, cursor } = model.prompt;
  return { ...model, prompt: { text: text.slice(0, from) + word + text.slice(cursor), cursor: from + word.length } };
}

function commonStart(a: string, b: string): string {
  let end = 0;
  while (end < a.length && a[end] === b[end]) end += 1;
  return a.slice(0, end);
}
