import { endpoint } from '../endpoint.js';
import { CreateToken, NewToken, Token, TokenList, TokenName } from '../tokens.js';
import { z } from 'zod';

const TokenReference = z.union([z.uuid(), TokenName]);

export const tokensApi = {
  list: endpoint('GET /v1/tokens', {
    scope: 'admin',
    summary: 'Every token, newest first; never its secret',
    answer: TokenList,
  }),
  create: endpoint('POST /v1/tokens', {
    scope: 'admin',
    summary: 'Make a token; its secret is in this answer and nowhere else',
    body: CreateToken,
    answer: NewToken,
    status: 201,
  }),
  revoke: endpoint('DELETE /v1/tokens/:ref', {
    scope: 'admin',
    summary: 'Revoke a token by name or id; it is refused from now on',
    params: { ref: TokenReference },
    answer: Token,
  }),
};
