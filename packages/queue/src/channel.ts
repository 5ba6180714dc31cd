/** Sends and receives lines of text. Adapters: redis.bus.ts, postgres.bus.ts. */
export interface Channel {
  /** Sends texts. It rejects if they cannot be sent in time, and keeps their order, also relative to earlier calls. */
  send(texts: readonly string[]): Promise<void>;
  close(): Promise<void>;
}

export interface ChannelEvents {
  readonly onText: (text: string) => void;
  readonly onGap: () => void;
  readonly onError: (error: unknown) => void;
}
