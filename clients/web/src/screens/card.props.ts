import type { Decision } from '@aish/contracts/decisions';

/** The state of a card that a person has started to work on. */
export interface Begun {
  /** Whether the person has typed something, or has sent a verdict that came too late. */
  isKept: boolean;
  isSending: boolean;
  /** Whether the person's own verdict was accepted. */
  isOwn: boolean;
}

export interface CardProps {
  readonly decision: Decision;
  readonly begun: Begun;
  /** How the decision was answered elsewhere, or '' if that is not known yet. Null while it is pending. */
  readonly ended: string | null;
  readonly done: () => void;
  /** Called if someone else answered first. */
  readonly taken: () => void;
  readonly close: () => void;
}
