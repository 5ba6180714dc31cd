import { afterAll, afterEach, beforeAll } from '@jest/globals';
import type { Visitor, WindowName } from '../support/browser.js';
import { WebStack } from './web.stack.js';

/** A page for the tests of a file. */
export interface WebSuite {
  readonly web: WebStack;
  /** Opens a signed-in browser, which closes at the end of the test. */
  readonly visit: () => Promise<Visitor>;
}

/**
 * Starts a page before the tests of a file, and stops it after them. @param fill creates the data that all of these
 * tests find
 */
export function webSuite(window: WindowName, fill?: (web: WebStack) => Promise<unknown>): WebSuite {
  let web: WebStack;
  const visitors: Visitor[] = [];
  beforeAll(async () => {
    web = await WebStack.start();
    await fill?.(web);
  }, 120_000);
  afterEach(() => Promise.all(visitors.splice(0).map((visitor) => visitor.close())));
  afterAll(() => web?.stop());
  return {
    get web() {
      return web;
    },
    visit: async () => {
      const visitor = await web.visit(window);
      visitors.push(visitor);
      return visitor;
    },
  };
}
