import type { Decision } from '@aish/contracts/decisions';

/** What a person has begun at a card. */
export interface Begun {
  /** They have typed something, or have sent a verdict that came too late. */
  isKept: boolean;
  isSending: boolean;
  /** Their verdict has been taken. */
  isOwn: boolean;
}

export interface CardProps {
  readonly decision: Decision;
  readonly begun: Begun;
  /** How it was answered elsewhere, '' where that is not known yet; null while it waits. */
  readonly ended: string | null;
  readonly done: () => void;
  /** Somebody else was quicker. */
  readonly taken: () => void;
  readonly close: () => void;
}
