import type { Grant } from '@aish/contracts/grants';
import { just, chosenGoal, type GrantsPage, type Model, type Update } from '../model.js';

/** Shows the grants of the selected goal. */
export function openGrants(model: Model): Update {
  const goal = chosenGoal(model);
  if (model.view !== 'goals' || goal === undefined) return just(model);
  return {
    model: { ...model, overlay: { type: 'grants', goalId: goal.id, goalNumber: goal.number, items: null, at: 0 } },
    effects: [{ type: 'listGrants', goalId: goal.id }],
  };
}

export function grantsListed(model: Model, goalId: string, items: readonly Grant[]): Model {
  const page = pageOf(model);
  if (page?.goalId !== goalId) return model;
  return { ...model, overlay: { ...page, items, at: Math.min(page.at, Math.max(0, items.length - 1)) } };
}

export function moveGrant(model: Model, by: number): Update {
  const page = pageOf(model);
  if (page === null) return just(model);
  const last = Math.max(0, (page.items?.length ?? 0) - 1);
  return just({ ...model, overlay: { ...page, at: Math.min(last, Math.max(0, page.at + by)) } });
}

/** Removes a grant. From then on, aish asks again. */
export function revokeGrant(model: Model): Update {
  const page = pageOf(model);
  const chosen = page?.items?.[page.at];
  if (page === null || chosen === undefined || chosen.revokedAt !== null) return just(model);
  return { model, effects: [{ type: 'revokeGrant', goalId: page.goalId, grantId: chosen.id }] };
}

function pageOf(model: Model): GrantsPage | null {
  return model.overlay?.type === 'grants' ? model.overlay : null;
}
