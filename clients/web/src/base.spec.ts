import { expect, it } from '@jest/globals';
import { apiBase } from './base.js';

it.each([
  ['http://127.0.0.1:7717/app/', 'http://127.0.0.1:7717/v1/goals'],
  ['https://home.example/aish/app/#/goals/4', 'https://home.example/aish/v1/goals'],
])('a page at %s sends its requests to %s', (page, url) => expect(`${apiBase(page)}/v1/goals`).toBe(url));
