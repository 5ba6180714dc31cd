/** What one server may bring. Everything over is left out and said. */
export const LIMITS = {
  /** Tools of one server. */
  tools: 1_000,
  toolNameChars: 128,
  descriptionChars: 8_000,
  /** One tool's schema as JSON. */
  schemaBytes: 64 * 1024,
  schemaDepth: 32,
  /** Resources and prompts that one list shows. */
  listed: 1_000,
  /** One message of a server. */
  messageBytes: 16 * 1024 * 1024,
  /** Text kept of one result. */
  resultTextBytes: 1024 * 1024,
  /** Attachments of one result, together. */
  attachmentBytes: 8 * 1024 * 1024,
  attachments: 32,
  /** Pages of one list. */
  pages: 64,
  logLines: 20,
  logChars: 2_000,
  /** Times that one call may ask a person. */
  questions: 10,
  /** One question's message. */
  questionChars: 4_000,
  /** All of a call but the time that people take to answer. */
  callTotalMs: 3_600_000,
  /** The minimum time between two polls of a task, even if the server proposes less. */
  pollMinMs: 1_000,
  pollMaxMs: 300_000,
} as const;
