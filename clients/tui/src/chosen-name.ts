import { chosenGoal, type Model } from './model.js';

/** What people call what is chosen: `g4`, `c12`; undefined where nothing is. */
export function chosenName(model: Model): string | undefined {
  switch (model.view) {
    case 'goals': {
      const goal = chosenGoal(model);
      return goal === undefined ? undefined : `g${goal.number}`;
    }
    case 'sessions': {
      const { rows, chosen } = model.panes.sessions;
      return rows?.find(({ key }) => key === chosen)?.name;
    }
    case 'chat':
      return model.chat.session === null ? undefined : `c${model.chat.session.number}`;
    case 'decisions': {
      const decision = model.decisions[model.decisionAt];
      return decision === undefined ? undefined : `d${decision.number}`;
    }
    case 'memory':
    case 'knowledge':
    case 'help':
      return undefined;
  }
}
