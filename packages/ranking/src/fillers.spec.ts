import { expect, it } from '@jest/globals';
import { withoutFillers } from './fillers.js';

it.each([
  ['Which port does Grafana use?', 'port Grafana'],
  ["what's the NAS called", 'NAS called'],
  ['to be or not to be', 'to be or not to be'],
  ['does it know 10.0.0.4', '10.0.0.4'],
])('in the question %j the fillers are removed and these words remain: %j', (question, kept) => {
  expect(
    withoutFillers(question)
      .replaceAll(/[\s?]+/g, ' ')
      .trim(),
  ).toBe(kept);
});
