import { expect, it } from '@jest/globals';
import { apiUrl } from './base.js';

it.each([
  ['http://127.0.0.1:7717/app/', 'http://127.0.0.1:7717/v1/goals'],
  ['https://home.example/aish/app/#/goals/4', 'https://home.example/aish/v1/goals'],
])('a page at %s asks %s', (page, url) => expect(apiUrl('/v1/goals', page)).toBe(url));
