import { AishError } from '@aish/contracts/problems';
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';

const WINDOW_S = 60;

/** The kind of a wrong proof: a token in a request, or a browser's cookie. */
export type Proof = 'token' | 'session';

/**
 * Limits the requests of a token, and the wrong tokens and sign-ins of an address, per process and minute. The token
 * limit keeps one runaway program from starving others. The address limit makes guessing cheap for the server. Sign-ins
 * count separately: they need no token, and a page that makes a browser try them must not lock out the browser's owner.
 * Sessions also count separately, because a browser sends its cookie automatically and other pages of the same host can
 * set one.
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
    await consume(this.tokens, tokenId, 'This token sends too many requests');
  }

  /** Checks whether this address may try a token. @throws AishError `too_many` with `retryAfterS` */
  async mayTry(address: string, proof: Proof = 'token'): Promise<void> {
    const state = await this.failures.get(`${proof} ${address}`);
    if (state !== null && state.remainingPoints <= 0) throw tooMany('Too many wrong tokens from this address', state);
  }

  /** Counts an invalid token. */
  async failed(address: string, proof: Proof = 'token'): Promise<void> {
    await consume(this.failures, `${proof} ${address}`, 'Too many wrong tokens from this address');
  }

  /** Counts a sign-in that started or failed. @throws AishError `too_many` with `retryAfterS` */
  async signIn(address: string): Promise<void> {
    await consume(this.signIns, address, 'Too many sign-ins from this address');
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
