import { createHmac, timingSafeEqual } from 'node:crypto';
import { CHANNEL_NAMES, type ChannelName } from '@aish/contracts/escalation';
import { AishError } from '@aish/contracts/problems';

/** The name of the key that signs decision links. */
export const LINK_KEY = 'decision-links';
const VALID_DAYS_MAX = 7;
/**
 * The size of the claims: channel, expiry in epoch seconds and decision. The MAC follows. The link is short, because it
 * becomes part of a path.
 */
const CLAIMS_BYTES = 1 + 4 + 16;
const MAC_BYTES = 20;

/**
 * Returns the secret part of a link to one decision. It allows one verdict on that decision and nothing else. @param
 * expiresAt when the decision expires; the link expires at that time, or after a week if that is sooner @param bound
 * what else the link is only valid with; the same text is needed to read it
 */
export function signLink(
  key: Uint8Array,
  decisionId: string,
  channel: ChannelName,
  now: Date,
  expiresAt: Date | null = null,
  bound = '',
): string {
  const week = now.getTime() + VALID_DAYS_MAX * 86_400_000;
  const until = expiresAt === null ? week : Math.min(week, expiresAt.getTime());
  const claims = Buffer.alloc(CLAIMS_BYTES);
  claims.writeUInt8(CHANNEL_NAMES.indexOf(channel), 0);
  claims.writeUInt32BE(Math.floor(until / 1000), 1);
  claims.write(decisionId.replaceAll('-', ''), 5, 'hex');
  return Buffer.concat([claims, signature(key, claims, bound)]).toString('base64url');
}

/** @throws AishError `link_invalid` if the link is forged, damaged or expired; the error does not say which */
export function readLink(
  key: Uint8Array,
  link: string,
  now: Date,
  bound = '',
): { decisionId: string; channel: ChannelName } {
  const bytes = Buffer.from(link, 'base64url');
  const claims = bytes.subarray(0, CLAIMS_BYTES);
  const mac = bytes.subarray(CLAIMS_BYTES);
  if (mac.length !== MAC_BYTES || !timingSafeEqual(mac, signature(key, claims, bound))) throw invalid();
  const channel = CHANNEL_NAMES[claims.readUInt8(0)];
  if (channel === undefined || claims.readUInt32BE(1) * 1000 < now.getTime()) throw invalid();
  const hex = claims.toString('hex', 5);
  const decisionId = [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
  return { decisionId, channel };
}

/** The claims have a fixed length, so what is bound cannot be taken for a part of them. */
function signature(key: Uint8Array, claims: Uint8Array, bound: string): Buffer {
  return createHmac('sha256', key).update('decision-link').update(claims).update(bound).digest().subarray(0, MAC_BYTES);
}

function invalid(): AishError {
  return new AishError('link_invalid', 'This link is invalid or expired. Answer in aish itself');
}
