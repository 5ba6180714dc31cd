import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { TestApi } from '../testing/test-api.js';

describe('an address that a person types', () => {
  let api: TestApi;
  beforeAll(async () => {
    api = await TestApi.start();
  });
  afterAll(() => api?.stop());

  it.each([
    ['/', 'app/'],
    ['/goals/12', '../app/#/goals/12'],
    ['/chats/c12', '../app/#/chats/c12'],
    ['/decisions/d3', '../app/#/decisions/d3'],
    ['/goals/12%0d%0ax', '../app/#/goals/12%0D%0Ax'],
  ])('a browser that asks for %s is redirected to the page', async (path, location) => {
    const { status, headers } = await api.ask('GET', path, { token: null, headers: { accept: 'text/html' } });
    expect([status, headers['location']]).toEqual([302, location]);
  });

  it('a program that asks for the address of the page gets a problem document', async () => {
    expect(await api.ask('GET', '/goals/12', { token: null })).toMatchObject({
      status: 404,
      body: { code: 'not_found' },
    });
  });
});
