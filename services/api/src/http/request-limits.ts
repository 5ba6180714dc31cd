import { AishError } from '@aish/contracts/problems';
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';

const WINDOW_S = 60;

/** What an address was wrong about: a token that somebody sent, or the cookie of a browser. */
export type Proof = 'token' | 'session';

/**
 * How often a token may ask, and how often an address may be wrong about its token or try to sign in; per process and
 * minute. A token's bound keeps a program that runs wild from starving the others. An address's bound keeps guesses
 * cheap for us. Sign-ins count separately: they need no token, and a page that makes a browser try them must not lock
 * out its owner. Sessions count separately, too: a browser sends its cookie by itself, and other pages of the same host
 * can set one.
 */
export class RequestLimits {
  private readonly tokens: RateLimiterMemory;
  private readonly failures: RateLimiterMemory;
  private readonly signIns: RateLimiterMemory;

  constructor(perToken: number, failuresPerAddress: number) {
    this.tokens = new RateLimiterMemory({ points: perToken, duration: WINDOW_S });
    this.failures = new RateLimiterMemory({ points: failuresPerAddress, duration: WINDOW_S });
    this.signIns = new RateLimiterMemory({ points: failuresPerAddress, duration: WINDOW_S });
  }

  /** @throws AishError `too_many` with `retryAfterS` */
  async request(tokenId: string): Promise<void> {
    await consume(this.tokens, tokenId, 'This token asks too often');
  }

  /** Whether this address may try a token at all. @throws AishError `too_many` with `retryAfterS` */
  async mayTry(address: string, proof: Proof = 'token'): Promise<void> {
    const state = await this.failures.get(`${proof} ${address}`);
    if (state !== null && state.remainingPoints <= 0) throw tooMany('Too many wrong tokens from here', state);
  }

  /** Notes a token that was not good. */
  async failed(address: string, proof: Proof = 'token'): Promise<void> {
    await consume(this.failures, `${proof} ${address}`, 'Too many wrong tokens from here');
  }

  /** Notes that a sign-in was begun, or failed. @throws AishError `too_many` with `retryAfterS` */
  async signIn(address: string): Promise<void> {
    await consume(this.signIns, address, 'Too many sign-ins from here');
  }
}

async function consume(limiter: RateLimiterMemory, key: string, message: string): Promise<void> {
  try {
    await limiter.consume(key);
  } catch (refused) {
    if (refused instanceof RateLimiterRes) throw tooMany(message, refused);
    throw refused;
  }
}

function tooMany(message: string, state: RateLimiterRes): AishError {
  const retryAfterS = Math.max(1, Math.ceil(state.msBeforeNext / 1000));
  return new AishError('too_many', `${message}; try again in ${retryAfterS} s`, { retryAfterS });
}
