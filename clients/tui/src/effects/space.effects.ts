import { emptySpace } from '@aish/contracts/spaces';
import { showSpace } from '@aish/client/spaces.api';
import { asking, type EffectOf, type EffectTable } from './world.js';

/** What a space reaches, to be changed. */
export const SPACE_EFFECTS: EffectTable<'readSpace'> = {
  readSpace: asking(
    (client, { name }: EffectOf<'readSpace'>, signal) => showSpace(client.transport, name, signal),
    (space) => ({ type: 'spaceRead', space }),
    (error, { name }) =>
      // One that is not there yet is made by what is said of it.
      error.code === 'not_found' ? { type: 'spaceRead', space: emptySpace(name) } : { type: 'refused', error },
  ),
};
