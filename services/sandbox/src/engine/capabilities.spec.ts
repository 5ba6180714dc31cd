import { describe, expect, it } from '@jest/globals';
import { capabilitiesOf, type Findings } from './capabilities.js';

const all: Findings = {
  limits: { memory: true, cpus: true, processes: true },
  whyNoLayers: null,
  accessFaults: { sockets: null, folders: null },
  mayCopy: true,
};
const statesOf = (found: Findings) =>
  Object.fromEntries(capabilitiesOf(found).map(({ name, state }) => [name, state] as const));

describe('capabilitiesOf', () => {
  it('an engine that passes every test has every capability', () => {
    expect(new Set(Object.values(statesOf(all)))).toEqual(new Set(['yes']));
  });

  it('the report does not promise anything before the test', () => {
    expect(statesOf({ ...all, whyNoLayers: undefined, accessFaults: undefined })).toMatchObject({
      layers: 'untested',
      undo: 'untested',
      network: 'untested',
      folders: 'untested',
      memory: 'yes',
    });
  });

  it('undo works without layers if the settings allow copies', () => {
    const without = { ...all, whyNoLayers: 'no overlay' };
    expect(statesOf(without)).toMatchObject({ layers: 'no', undo: 'yes' });
    expect(statesOf({ ...without, mayCopy: false })).toMatchObject({ undo: 'no' });
  });

  it('each lacking capability has a reason', () => {
    const none = capabilitiesOf({
      limits: { memory: false, cpus: false, processes: false },
      whyNoLayers: 'no overlay',
      accessFaults: { sockets: 'no socket', folders: 'another machine' },
      mayCopy: false,
    });
    for (const { state, detail } of none) expect([state, detail]).toEqual(['no', expect.stringMatching(/\w{3,}/)]);
  });
});
