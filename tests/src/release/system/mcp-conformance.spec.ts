import { describe, expect, it } from '@jest/globals';
import { EXPECTED, REVISIONS, checkClient, checkServer, surprises } from '../../conformance/suite.js';
import { verifies } from '../../requirements.js';

/** The test runs one scenario of each kind, and `npm run conformance` runs all of them. */
const SOME = ['tools_call', 'auth/scope-step-up'];
const MORE = {
  '2025-11-25': ['elicitation-sep1034-client-defaults', 'sse-retry'],
  '2026-07-28': ['sep-2322-client-request-state', 'auth/iss-wrong-issuer'],
} as const;

describe('the official conformance suite of MCP', () => {
  it.each(REVISIONS)(
    verifies('mcp.conformance', "aish's MCP endpoint passes every check of %s, except those listed with a reason"),
    async (revision) => {
      const results = await checkServer(revision);
      expect(results.size).toBeGreaterThan(20);
      expect(surprises(results, EXPECTED.server[revision])).toEqual([]);
    },
    180_000,
  );

  it.each(REVISIONS)(
    verifies('mcp.conformance', "aish's MCP client passes some scenarios of %s"),
    async (revision) => {
      const results = await checkClient(revision, [...SOME, ...MORE[revision]]);
      expect(results.size).toBe(SOME.length + MORE[revision].length);
      expect(surprises(results, EXPECTED.client[revision])).toEqual([]);
    },
    180_000,
  );
});
