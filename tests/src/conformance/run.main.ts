import { EXPECTED, REVISIONS, checkClient, checkServer, clientScenarios, surprises } from './suite.js';

// This runs the complete official conformance suite for client and server in both revisions (`npm run conformance`,
// about five minutes).
let bad = 0;
for (const revision of REVISIONS) {
  for (const side of ['server', 'client'] as const) {
    const results =
      side === 'server' ? await checkServer(revision) : await checkClient(revision, await clientScenarios(revision));
    const expected: Readonly<Record<string, string>> = EXPECTED[side][revision];
    const passed = [...results.values()].filter(Boolean).length;
    console.log(`${side} ${revision}: ${passed} of ${results.size} scenarios pass`);
    for (const [name, reason] of Object.entries(expected)) console.log(`  ${name}: ${reason}`);
    for (const surprise of surprises(results, expected)) {
      bad += 1;
      console.log(`  UNEXPECTED: ${surprise}`);
    }
    if (results.size === 0) bad += 1;
  }
}
process.exitCode = bad === 0 ? 0 : 1;
