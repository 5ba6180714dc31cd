import { endpoint } from '../endpoint.js';
import { FetchSignIn, SignIn, SignInState } from '../sign-in.js';
import { z } from 'zod';

const Id = z.uuid();

export const signInApi = {
  begin: endpoint('POST /v1/sign-in', {
    scope: 'nothing',
    summary: 'Begin to sign in through the household’s provider',
    answer: SignIn,
  }),
  fetch: endpoint('POST /v1/sign-in/:id', {
    scope: 'nothing',
    summary: 'Fetch the token, once the person has confirmed',
    params: { id: Id },
    body: FetchSignIn,
    answer: SignInState,
  }),
};
