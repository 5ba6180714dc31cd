/** Limits for one server. Anything beyond them is omitted and reported. */
export const LIMITS = {
  /** Number of tools. */
  tools: 1_000,
  toolNameChars: 128,
  descriptionChars: 8_000,
  /** Size of one tool's schema as JSON. */
  schemaBytes: 64 * 1024,
  schemaDepth: 32,
  /** Number of resources or prompts in one list. */
  listed: 1_000,
  /** Size of one message. */
  messageBytes: 16 * 1024 * 1024,
  /** Size of the stored text of one result. */
  resultTextBytes: 1024 * 1024,
  /** Size of the attachments of one result together. */
  attachmentBytes: 8 * 1024 * 1024,
  attachments: 32,
  /** Number of pages of one list. */
  pages: 64,
  logLines: 20,
  logChars: 2_000,
  /** Number of questions of one call. */
  questions: 10,
  /** Length of one question's message. */
  questionChars: 4_000,
  /** Duration of a whole call, without the time that people take to answer. */
  callTotalMs: 3_600_000,
  /** The minimum time between two polls of a task, even if the server proposes less. */
  pollMinMs: 1_000,
  pollMaxMs: 300_000,
} as const;
