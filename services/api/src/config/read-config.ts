import type { ConfigDocument } from '@aish/contracts/config-document';
import { listEventRules, listEventSources } from '@aish/database/event-sources.repository';
import { listHosts } from '@aish/database/hosts.repository';
import { listImages } from '@aish/database/images.repository';
import { readLabRules } from '@aish/database/lab.repository';
import { readLabSchedule } from '@aish/database/lab-schedule.repository';
import { listSchedules } from '@aish/database/schedules.repository';
import { listSecrets } from '@aish/database/secrets.repository';
import { listSpaces } from '@aish/database/spaces.repository';
import type { Tx } from '@aish/database/tx';

/** Returns the setup, without the values of secrets. */
export async function readConfig(tx: Tx): Promise<ConfigDocument> {
  // The lists are read one after another, because a transaction has only one connection.
  const secrets = await listSecrets(tx);
  const hosts = await listHosts(tx);
  const images = await listImages(tx);
  const spaces = await listSpaces(tx);
  const sources = await listEventSources(tx);
  const rules = await listEventRules(tx);
  const schedules = await listSchedules(tx);
  const daily = await readLabSchedule(tx);
  return {
    secrets: byName(secrets, ({ targets, exposed, body, certificate }) => ({ targets, exposed, body, certificate })),
    hosts: byName(hosts, ({ address, port, user, login, keys, prelude, rollback }) => {
      return { address, port, user, login, keys: [...keys], prelude, rollback };
    }),
    images: Object.fromEntries(images.map(({ image, recipe }) => [image.name, recipe])),
    spaces: byName(spaces, ({ name: _name, changedBy: _by, changedAt: _at, ...access }) => access),
    events: {
      sources: byName(sources, ({ proof, header }) => ({ proof, header })),
      rules: rules.map(({ id: _id, number: _number, createdBy: _by, createdAt: _at, ...rule }) => rule),
    },
    schedules: {
      goals: schedules.map(({ cron, timezone, overlap, when, goal }) => ({ cron, timezone, overlap, when, goal })),
      brief: daily === null ? null : { at: daily.at, timezone: daily.timezone },
    },
    brief: await readLabRules(tx),
  };
}

function byName<T extends { readonly name: string }, V>(
  items: readonly T[],
  config: (item: T) => V,
): Record<string, V> {
  return Object.fromEntries(items.map((item) => [item.name, config(item)]));
}
