// Generated from prisma/schema.prisma by prisma/row-types.mjs. DO NOT EDIT.

/** One conversation: an append-only list of turns and events. */
export interface SessionRow {
  readonly id: string;
  /** The number by which people name the session. */
  readonly number: number;
  readonly kind: string;
  readonly title: string;
  /** The sequence number of the newest event, or 0 if there is none. */
  readonly event_seq: number;
  /** The sequence number of the newest turn, or 0 if there is none. */
  readonly turn_seq: number;
  /** The sandbox service that has the session's workspace, or null if none has it yet. */
  readonly sandbox: string | null;
  /** Whether a command begins where the last one ended. */
  readonly carry_over: boolean;
  /** The name of the space to which the session belongs. */
  readonly space: string;
  /** The initial network policy of the session's workspace. Null once the sandbox has it. */
  readonly network: unknown;
  /** Rules that were added to the policy later. Null once the sandbox has them. */
  readonly network_more: unknown;
  /** The image and limits of the session's commands, as its space had them at the start. Null stands for the sandbox's own image and limits. */
  readonly run_image: unknown;
  /** Aliases of the MCP servers whose tools the session has; null: those of all servers. */
  readonly mcp_servers: string[] | null;
  /** Whether lists leave the session out. A goal's session has the same value as the goal. */
  readonly archived: boolean;
  /** The sequence number of the newest turn that recall has. */
  readonly recalled_seq: number;
  readonly created_at: Date;
  readonly updated_at: Date;
}

/** A session in which a person writes to the model. */
export interface ChatRow {
  readonly session_id: string;
  readonly owner: string;
  readonly preset: string;
  readonly auto_continue: boolean;
  readonly confirm_commands: boolean;
  /** The commands that may run without a question: ask or undoable. */
  readonly trust: string;
  /** Names of the sandbox's host folders that the chat's commands get. */
  readonly host_folders: string[];
  /** Names of the hosts that the chat's commands may use. */
  readonly hosts: string[];
  /** One of idle, running and deciding. */
  readonly state: string;
  /** The number of messages so far. */
  readonly exchange: number;
  /** The number of round trips with the model in the current exchange. */
  readonly rounds: number;
  /** Each runner raises this number, and a writer with an older number is refused. */
  readonly epoch: number;
  /** The text of the current answer so far, as it was last stored. */
  readonly draft: string;
  readonly draft_reasoning: string;
  /** Descriptions of tools in this session's requests. They are only added to. */
  readonly offered: unknown;
  readonly grants: unknown;
  readonly forked_session: string | null;
  readonly forked_turn: number | null;
  /** Whether the chat has its final title. If not, the first message gives it one. */
  readonly titled: boolean;
  /** The ended goal that this chat is about. The chat is in the goal's own session. */
  readonly goal_id: string | null;
  readonly updated_at: Date;
}

/** A tool's answer that was too large, or was not text, and so is not shown to a model in full. */
export interface KeptResultRow {
  readonly session_id: string;
  readonly n: number;
  readonly label: string;
  /** Null for text. Other content is in base64. */
  readonly mime_type: string | null;
  readonly content: string;
  readonly size_bytes: number;
  readonly created_at: Date;
}

/** The description of a tool at the time when a person, or the configuration, last allowed it to be called. */
export interface ToolApprovalRow {
  readonly label: string;
  readonly fingerprint: string;
  readonly approved_by: string;
  readonly approved_at: Date;
}

/** The known capabilities of the model behind an endpoint. */
export interface ModelCapabilitiesRow {
  readonly base_url: string;
  readonly model: string;
  readonly fit: unknown;
  readonly updated_at: Date;
}

/** One turn of a session. Turns are never rewritten. */
export interface TurnRow {
  readonly session_id: string;
  readonly seq: number;
  readonly role: string;
  /** The author of the words: person, model, tool or aish. */
  readonly provenance: string;
  readonly content: string;
  /** The authors of the quoted parts, if there are several. */
  readonly parts: unknown;
  readonly meta: unknown;
  readonly created_at: Date;
}

/** A session in which Norris works on a goal. */
export interface GoalRow {
  readonly id: string;
  readonly number: number;
  readonly session_id: string;
  readonly text: string;
  /** The name of the space to which the goal belongs. It is the same as that of its session. */
  readonly space: string;
  readonly preset: string;
  /** Names of the sandbox's host folders that the goal's commands get. */
  readonly host_folders: string[];
  /** Names of the hosts that the goal's commands may use. */
  readonly hosts: string[];
  readonly state: string;
  readonly reason: string | null;
  readonly waiting_for: string | null;
  readonly wake_at: Date | null;
  /** The number of consecutive waits for the same unavailable service. */
  readonly waits: number;
  readonly step_budget: number;
  readonly steps_taken: number;
  readonly nudged: boolean;
  /** The goal only looks until a person has accepted its plan. */
  readonly awaits_plan: boolean;
  readonly summary: string | null;
  /** One of high, normal and low. */
  readonly priority: string;
  /** The command that proves the goal. */
  readonly verify: string | null;
  readonly verified: boolean;
  readonly checks_failed: number;
  readonly token_budget: number | null;
  readonly tokens_used: number;
  readonly time_budget_ms: number | null;
  readonly active_ms: number;
  readonly halt_expiry_ms: number | null;
  readonly halt_expiry_verdict: string | null;
  /** The seed that is sent with each request to the model. */
  readonly seed: number | null;
  /** The commands that may run without a question: ask or undoable. */
  readonly trust: string;
  /** The number of consecutive answers whose tool calls were malformed. */
  readonly malformed: number;
  /** The number of consecutive answers that only called tools. */
  readonly tool_depth: number;
  /** The number of consecutive unexpected errors. */
  readonly failures: number;
  /** Descriptions of tools in the goal's requests. They are only added to, so that the prompt cache stays valid. */
  readonly offered: unknown;
  readonly schedule_id: string | null;
  /** The schedule and the moment. A moment creates only one goal. */
  readonly schedule_key: string | null;
  /** Each worker that takes the goal raises this number, and a writer with an older number is refused. */
  readonly epoch: number;
  readonly created_by: string;
  readonly created_at: Date;
  readonly updated_at: Date;
  readonly ended_at: Date | null;
  readonly archived: boolean;
  /** The time when the goal's events were deleted. Its record stays. */
  readonly story_forgotten_at: Date | null;
  /** The chat in which the goal was given. */
  readonly chat_id: string | null;
  /** The runbooks that the goal follows or has read, with the commits from which they were read. */
  readonly runbooks: unknown;
  /** The end of the goal that the chat was last told about. */
  readonly chat_notified: Date | null;
}

/** A follow-up of a goal that fails: another attempt, or a goal that handles the failure. */
export interface FollowUpRow {
  readonly goal_id: string;
  /** All settings with which the goal is created. */
  readonly goal: unknown;
  /** Notices that the goal's model gets. */
  readonly notices: string[];
  /** The number of the attempt, starting at 1. */
  readonly attempt: number;
  /** The time when the follow-up was settled. Null if the goal has not failed, or if its next attempt is still to come. */
  readonly followed_at: Date | null;
}

/** One round trip with the model. */
export interface StepRow {
  readonly session_id: string;
  readonly n: number;
  readonly text: string | null;
  readonly model: string | null;
  readonly usage: unknown;
  /** The GOAL: line of the answer, which takes effect after the actions of the step. */
  readonly goal_line: unknown;
  readonly notes: unknown;
  readonly started_at: Date;
  readonly answered_at: Date | null;
}

/** An action that a step requests: a CMD: line, whose ID is the run ID in the sandbox, or a tool call. */
export interface ActionRow {
  readonly id: string;
  readonly session_id: string;
  readonly step_number: number;
  readonly n: number;
  readonly kind: string;
  /** The text of a command. */
  readonly command: string | null;
  /** The model's ID of a tool call. */
  readonly call_id: string | null;
  /** The tool's name in requests to the model, `alias__tool`. */
  readonly tool: string | null;
  /** The tool's name for people and policies, `alias.tool`. */
  readonly label: string | null;
  /** The arguments as the model wrote them. They need not be JSON. */
  readonly arguments: string | null;
  /** Whether a trusted server says that this tool only reads. */
  readonly read_only: boolean;
  /** Whether this command is the check of its goal. */
  readonly is_check: boolean;
  readonly state: string;
  readonly classification: unknown;
  /** The outcome of a command. */
  readonly outcome: unknown;
  /** A digest of the result, which distinguishes it from the result of the same action at another time. */
  readonly digest: string | null;
  /** The reason why the action was not run. */
  readonly skip_reason: string | null;
  /** The answer of a tool. */
  readonly result: unknown;
  readonly started_at: Date | null;
  readonly ended_at: Date | null;
}

/** A question to a person that blocks one action, or an MCP server's question. */
export interface DecisionRow {
  readonly id: string;
  readonly number: number;
  readonly session_id: string;
  readonly kind: string;
  readonly goal_id: string | null;
  readonly action_id: string | null;
  readonly state: string;
  readonly reason: string;
  readonly classification: unknown;
  /** The execution context of the command, as it was shown. */
  readonly execution_context: unknown;
  /** The changes of a command that has already run. */
  readonly difference: unknown;
  /** The digest of the conditions for which a grant of this action is valid. */
  readonly binding: string | null;
  readonly action: string;
  /** The schema of the values that are requested in addition to a verdict, for an elicitation. */
  readonly request: unknown;
  readonly step_number: number | null;
  readonly step_budget: number | null;
  readonly context: string;
  readonly verdict: string | null;
  readonly message: string | null;
  /** The answer to `request`. */
  readonly answer: unknown;
  /** The command that runs instead. */
  readonly edited: string | null;
  /** The scope of the grant: command or rule. */
  readonly granted: string | null;
  /** The number of the attempt, for a question about something that was refused before. */
  readonly attempt: number | null;
  /** Whether the action was approved with the variables of its execution context. */
  readonly carried: boolean;
  /** The preview that the verdict names. Only the run of this preview is kept. */
  readonly preview: string | null;
  readonly decided_by: string | null;
  /** The approvals so far. */
  readonly approvals: unknown;
  /** The time when the action runs, if it was approved for the change window. */
  readonly waits_until: Date | null;
  /** Whether the action was approved for the change window. Its effects are then judged again when it starts. */
  readonly in_window: boolean;
  readonly expires_at: Date | null;
  readonly expiry_verdict: string | null;
  readonly created_at: Date;
  readonly decided_at: Date | null;
}

/** A permission that a person gave for the rest of a goal or chat. */
export interface GrantRow {
  readonly id: string;
  /** The goal of the grant. A chat's grant has none. */
  readonly goal_id: string | null;
  readonly chat_id: string | null;
  /** One of command and rule. */
  readonly scope: string;
  readonly action: string | null;
  readonly rule_id: string | null;
  /** The binding of the grant's decision. The grant covers nothing else. */
  readonly binding: string | null;
  readonly carried: boolean;
  readonly uses: number;
  readonly created_by: string;
  readonly created_at: Date;
  readonly revoked_by: string | null;
  readonly revoked_at: Date | null;
}

/** An action that a person refused. Later commands that touch its paths are held, and the question quotes the person. */
export interface RefusalRow {
  readonly id: string;
  readonly session_id: string;
  readonly step: number | null;
  readonly action: string;
  readonly words: string | null;
  /** Paths that are absolute, or below the workspace. Their names may be globs. */
  readonly paths: string[];
  /** Those of the paths that a person has allowed since. */
  readonly lifted: string[];
  readonly created_at: Date;
}

/** A goal that is given repeatedly. */
export interface ScheduleRow {
  readonly id: string;
  readonly number: number;
  readonly cron: string;
  readonly timezone: string;
  /** One of skip and queue. */
  readonly overlap: string;
  /** The ends of the schedule's goals that are reported: always or changed. */
  readonly report_when: string;
  /** The settings with which its goals are created. */
  readonly goal: unknown;
  readonly skipped: number;
  readonly created_by: string;
  readonly created_at: Date;
}

/** A sender of events. Only the key of the installation can decrypt `sealed`. */
export interface EventSourceRow {
  readonly name: string;
  readonly proof: string;
  readonly header: string | null;
  readonly sealed: string;
  readonly created_by: string;
  readonly created_at: Date;
}

/** A rule that says which goal an event starts. */
export interface EventRuleRow {
  readonly id: string;
  readonly number: number;
  readonly source: string;
  readonly rule: unknown;
  readonly created_by: string;
  readonly created_at: Date;
}

/** The newest events of each source. A repeated event is counted in the row of the first one. */
export interface ReceivedEventRow {
  readonly id: string;
  readonly number: number;
  readonly source: string;
  readonly rule_id: string | null;
  readonly key: string | null;
  readonly delivery: string | null;
  readonly outcome: string;
  readonly repeats: number;
  readonly goal_id: string | null;
  readonly body: unknown;
  readonly received_at: Date;
  readonly last_at: Date;
  readonly resolved_at: Date | null;
}

/** An event of a session. The sequence numbers of a session have no gaps. */
export interface EventRow {
  readonly session_id: string;
  readonly seq: number;
  readonly type: string;
  readonly payload: unknown;
  readonly at: Date;
}

/** A bearer token. Only its SHA-256 hash is stored. */
export interface ApiTokenRow {
  readonly id: string;
  readonly name: string;
  readonly hash: string;
  readonly scopes: string[];
  /** The person whose memory the token reaches. If this is null, it is the token's name. */
  readonly owner: string | null;
  /** The space to which an app is bound. `app` is its name there. Either both are set or none. */
  readonly space: string | null;
  readonly app: string | null;
  readonly created_at: Date;
  readonly expires_at: Date | null;
  readonly revoked_at: Date | null;
  readonly last_used_at: Date | null;
  /** Slugs of the projects whose knowledge the token may see and write. */
  readonly projects: string[];
  /** Whether `projects` limits the token. The owner's own tokens see everything. */
  readonly scoped: boolean;
  /** Whether the token belongs to a browser's session, whose secret is in a cookie. */
  readonly web: boolean;
  /** The token with which a browser's session began. The session ends together with that token. */
  readonly parent_id: string | null;
}

/** An entry of the audit log: who gave verdicts, created and revoked tokens, and changed policies. Append-only. */
export interface AuditRow {
  readonly n: bigint;
  readonly at: Date;
  readonly actor: string;
  readonly action: string;
  readonly subject: string;
  readonly facts: unknown;
  /** The entry's place in the chain. It is null until the entry is sealed, moments after it was written. */
  readonly seal: bigint | null;
  /** The hash of the previous hash and of everything in this entry. */
  readonly hash: string | null;
}

/** A version of a runbook whose tools and commands a person lets run without a question. */
export interface AcceptedRunbookRow {
  readonly name: string;
  readonly digest: string;
  readonly tools: string[];
  readonly commands: string[];
  readonly accepted_by: string;
  readonly accepted_at: Date;
}

/** A change to a runbook that a model proposes. It waits for a person's review. */
export interface RunbookProposalRow {
  readonly number: number;
  readonly name: string;
  /** The complete SKILL.md. */
  readonly text: string;
  readonly why: string;
  /** The digest of the runbook for which the change was proposed, or null if there was none. */
  readonly digest: string | null;
  readonly session_id: string | null;
  /** One of pending, accepted and rejected. */
  readonly state: string;
  readonly at: Date;
  readonly decided_by: string | null;
  readonly decided_at: Date | null;
}

/** A machine that commands may use over SSH. */
export interface HostRow {
  readonly name: string;
  readonly address: string;
  readonly port: number;
  readonly user: string;
  /** One of certificate and key. */
  readonly login: string;
  /** The pinned keys, in the format of known_hosts. A host without keys is not trusted yet. */
  readonly keys: string[];
  /** The stored key for a host that supports no certificates, encrypted. */
  readonly sealed: string | null;
  /** A command that runs before each approved command. {name} in it stands for the name of the snapshot. */
  readonly prelude: string | null;
  /** The command that restores the snapshot. */
  readonly rollback: string | null;
  readonly created_by: string;
  readonly created_at: Date;
}

/** One command that was requested on a host. The row stays when the host is removed. */
export interface HostCommandRow {
  readonly id: string;
  /** The serial number of the command's certificate. */
  readonly serial: bigint;
  readonly host: string;
  readonly command: string;
  /** One of read-only, approved and refused. */
  readonly verdict: string;
  readonly reason: string | null;
  readonly session_id: string;
  readonly goal_id: string | null;
  readonly action_id: string;
  readonly at: Date;
  /** Null if the exit code is unknown. */
  readonly exit_code: number | null;
  readonly ended_at: Date | null;
  /** One of armed, kept, back and unknown, or null if there was no undo of this kind. */
  readonly way_back: string | null;
}

/** Logs and state that were read on a host before an approved command stopped something there. */
export interface HostEvidenceRow {
  readonly id: string;
  readonly session_id: string;
  readonly action_id: string;
  readonly host: string;
  readonly command: string;
  readonly subjects: string[];
  /** Titles, each followed by the output of a program. Secrets are masked. */
  readonly text: string;
  readonly failed: string | null;
  readonly at: Date;
}

/** An entry of a person's memory, append-only: an item, or a tombstone (kind `forget`) that removes an item. */
export interface MemoryEntryRow {
  readonly owner: string;
  /** The entry's number per owner: 1, 2, 3, … without gaps. It is assigned under the owner's advisory lock. */
  readonly number: number;
  readonly kind: string;
  readonly content: string | null;
  /** The number of the item that a tombstone forgets. */
  readonly target: number | null;
  readonly tags: string[];
  readonly origin: string | null;
  readonly source: unknown;
  readonly by: string;
  readonly at: Date;
  /** The item from which this one was edited. */
  readonly replaces: number | null;
  /** The number of the tombstone. It is stored here too, so that one index finds all active items. */
  readonly forgotten_by: number | null;
  /** Fields of an imported line that aish does not know. */
  readonly extra: unknown;
  /** Questions that the item answers, written by a model. Null if no model was asked yet. */
  readonly questions: string | null;
}

/** The meaning of an item as a vector of an embedding model. Vectors are made from the items and can be deleted at any time. */
export interface MemoryVectorRow {
  readonly owner: string;
  readonly number: number;
  readonly model: string;
  readonly dimensions: number;
  /** The vector as eight-bit numbers, one for each dimension. */
  readonly vector: Uint8Array;
  /** A sequence number that grows with each written vector. */
  readonly seq: bigint;
}

/** A piece of a session, of a memory document or of a node, as recall finds it. Pieces are made from these sources and can be deleted at any time. */
export interface RecallTextRow {
  readonly id: number;
  /** The shelf that says who may find the piece: `said/person/ann`, `document/space/home`, `nodes`. */
  readonly shelf: string;
  readonly session_id: string | null;
  readonly document_id: string | null;
  readonly node_id: string | null;
  /** The number of the turn, or of the line in the document. It is 0 for a node. */
  readonly place: number;
  readonly part: number;
  readonly title: string;
  readonly content: string;
  readonly by: string;
  readonly at: Date;
  /** Questions that the piece answers, written by a model. Null if no model was asked yet. */
  readonly questions: string | null;
}

/** The meaning of a piece as a vector of an embedding model. */
export interface RecallVectorRow {
  readonly text_id: number;
  readonly shelf: string;
  readonly model: string;
  readonly dimensions: number;
  /** The vector as eight-bit numbers, one for each dimension. */
  readonly vector: Uint8Array;
  /** A sequence number that grows with each written vector. */
  readonly seq: bigint;
}

/** A memory item that a model proposes. It waits for a person's review. */
export interface MemoryCandidateRow {
  readonly number: number;
  readonly owner: string;
  readonly kind: string;
  readonly content: string;
  readonly tags: string[];
  readonly origin: string;
  readonly source: unknown;
  readonly duplicates: unknown;
  readonly secrets: unknown;
  readonly state: string;
  readonly item_number: number | null;
  readonly proposed_by: string;
  readonly at: Date;
  readonly decided_by: string | null;
  readonly decided_at: Date | null;
}

/** The items in the background block of a live session. */
export interface MemoryBackgroundRow {
  readonly session_id: string;
  readonly owner: string;
  readonly numbers: number[];
  /** The instructions for using the memory documents that the session got, with the sizes of that time. */
  readonly instructions: string | null;
  /** The time when the items were loaded. Null if they are not loaded yet, and were all remembered in the session before. */
  readonly loaded_at: Date | null;
}

/** A state document of a scope: Markdown as UTF-8 bytes, so that a section can be read without the rest. */
export interface MemoryDocumentRow {
  readonly id: string;
  readonly scope: string;
  readonly owner: string | null;
  readonly space: string | null;
  readonly app: string | null;
  /** The name of the document's lock: `user/alice`, `space/home`, `app/home/watcher`. */
  readonly key: string;
  readonly content: Uint8Array;
  readonly size_bytes: number;
  readonly lines: number;
  readonly version: number;
  readonly updated_at: Date;
  readonly updated_by: string;
  /** The version of the document that recall has. */
  readonly recalled_version: number;
}

/** A heading in the outline of a document, which is rebuilt with every write. */
export interface MemoryHeadingRow {
  readonly document_id: string;
  /** The place of the heading in the document, starting at 1. */
  readonly n: number;
  readonly line: number;
  readonly offset_bytes: number;
  readonly depth: number;
  readonly title: string;
}

/** The text of a document before a compaction, or a summary of a session. */
export interface MemoryArchiveRow {
  readonly document_id: string;
  readonly path: string;
  readonly content: Uint8Array;
  readonly size_bytes: number;
  readonly reason: string;
  /** The version of the document in this archive, or null for a summary. */
  readonly version: number | null;
  readonly at: Date;
}

/** A node of the knowledge base, as its file in git describes it. Rows are made from git and can be deleted at any time. */
export interface KnowledgeNodeRow {
  readonly id: string;
  readonly path: string;
  readonly title: string;
  /** The words of the title in order, in the form in which they are compared. */
  readonly title_key: string;
  readonly summary: string;
  readonly types: string[];
  readonly tags: string[];
  readonly projects: string[];
  readonly status: string;
  readonly visibility: string;
  readonly confidence: string;
  readonly created_by: string;
  readonly created_at: Date;
  readonly updated_at: Date;
  readonly last_curated: Date | null;
  readonly sources: string[];
}

/** A link of a node. The target of a link need not exist. */
export interface KnowledgeLinkRow {
  readonly from_id: string;
  readonly to_id: string;
  readonly relation: string;
}

/** The commit from which the rows above were made. There is one row. */
export interface KnowledgeIndexRow {
  readonly id: number;
  readonly dir: string;
  readonly commit: string;
  readonly indexed_at: Date;
}

/** An MCP server that was connected at run time. */
export interface McpServerRow {
  readonly alias: string;
  readonly settings: unknown;
  /** The server's headers and token, encrypted. Null if there are none. */
  readonly sealed: string | null;
  readonly is_saved: boolean;
  readonly created_by: string;
  readonly created_at: Date;
  /** The time when the server is removed. Null if it stays. */
  readonly expires_at: Date | null;
}

/** A secret that commands may use without seeing it. */
export interface SecretRow {
  readonly name: string;
  /** The value of the secret, encrypted. */
  readonly sealed: string;
  /** The addresses to which the secret may go. */
  readonly targets: unknown;
  /** Whether commands get the value of the secret itself. `body` says whether the value may be in the body of a request. */
  readonly exposed: boolean;
  readonly body: boolean;
  /** Of the server or its authority, PEM, where no public one signed it. */
  readonly certificate: string | null;
  readonly set_by: string;
  readonly set_at: Date;
}

/** A secret that the commands of a session may use. */
export interface SessionSecretRow {
  readonly session_id: string;
  readonly name: string;
}

/** A space, with the access with which its goals and chats begin, and the people who may work in it. */
export interface SpaceRow {
  readonly name: string;
  readonly network: unknown;
  readonly host_folders: string[];
  readonly hosts: string[];
  readonly secrets: string[];
  /** The image for commands. Null stands for the sandbox's own image. */
  readonly image: string | null;
  readonly limits: unknown;
  /** Aliases of the MCP servers that the space has; null: all servers. */
  readonly mcp_servers: string[] | null;
  readonly preset: string | null;
  readonly step_budget: number | null;
  readonly token_budget: number | null;
  /** Instructions for the model. */
  readonly instructions: string;
  /** The people who may give goals and chat in the space; null: everyone. */
  readonly users: string[] | null;
  /** The people who may give verdicts in the space; null: everyone. */
  readonly deciders: string[] | null;
  /** The change windows, in which actions run that were approved for them. */
  readonly windows: unknown;
  /** The rules that say who must approve an action. */
  readonly approvals: unknown;
  /** The people who are notified next if nobody answers. */
  readonly escalation: unknown;
  readonly changed_by: string;
  readonly changed_at: Date;
}

/** An image for the commands of spaces. */
export interface ImageRow {
  readonly name: string;
  readonly recipe: unknown;
  /** The build that commands get. */
  readonly built: string | null;
  readonly digest: string | null;
  readonly size_bytes: bigint | null;
  readonly built_at: Date | null;
  /** The build that is running. */
  readonly building: string | null;
  /** The reason why the last build failed. */
  readonly detail: string | null;
  readonly set_by: string;
  readonly set_at: Date;
}

/** The data that an authorization server issued to aish for an MCP server, encrypted. */
export interface McpAuthorizationRow {
  readonly alias: string;
  readonly url: string;
  readonly sealed: string;
  readonly updated_at: Date;
}

/** A notification channel, with the time when it was first configured. Nobody is notified of anything before that time. */
export interface NotificationChannelRow {
  readonly name: string;
  readonly since: Date;
}

/** A notification about a HALT, about the end of a goal, or with the daily brief. Each channel has its own row, which is sent until it is accepted. */
export interface NotificationRow {
  readonly id: string;
  /** The subject of the notification. Together with the channel it is unique, so that nobody is notified twice. */
  readonly key: string;
  readonly channel: string;
  readonly kind: string;
  readonly goal_id: string | null;
  readonly decision_id: string | null;
  /** The lines of a brief. The first one is the title. */
  readonly text: string | null;
  /** A person or place other than that of all notifications. */
  readonly recipient: string | null;
  readonly state: string;
  readonly attempts: number;
  readonly due_at: Date;
  readonly error: string | null;
  readonly created_at: Date;
  readonly sent_at: Date | null;
}

/** A subscription with which notifications reach a browser although no page is open. It ends with the session that created it. */
export interface PushSubscriptionRow {
  readonly token_id: string;
  readonly endpoint: string;
  readonly p256dh: string;
  readonly auth: string;
  readonly created_at: Date;
}

/** An account of a messenger that belongs to a person. It ends with the token with which the person asked for it. */
export interface MessengerAccountRow {
  readonly channel: string;
  readonly account: string;
  /** The room or chat in which the account was bound. Verdicts count only there. */
  readonly room: string;
  readonly token_id: string;
  /** The chat that answers the account's messages. */
  readonly session_id: string | null;
  readonly created_at: Date;
}

/** The code with which a person binds an account. Only its SHA-256 hash is stored. */
export interface MessengerCodeRow {
  readonly token_id: string;
  readonly hash: string;
  readonly expires_at: Date;
}

/** Keys that this deployment generated for itself. */
export interface SigningKeyRow {
  readonly name: string;
  readonly key: Uint8Array;
  readonly created_at: Date;
}

/** A pending sign-in through the household's provider. */
export interface SignInRow {
  readonly id: string;
  /** The code that the terminal and the browser show. Both must be the same. */
  readonly code: string;
  /** The hash of the secret with which the terminal fetches its token. */
  readonly secret_hash: string;
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
  /** The secret with which the browser confirms, once the provider has identified the person. */
  readonly confirmation: string | null;
  readonly name: string | null;
  readonly scopes: string[];
  readonly confirmed: boolean;
  readonly expires_at: Date;
}

/** A device that asks to sign in, until someone with an admin token approves or denies it. */
export interface DeviceLoginRow {
  /** The code that the device shows, and that the approving person types. */
  readonly user_code: string;
  /** The hash of the secret with which the device fetches its token. */
  readonly device_hash: string;
  /** The name that the device gives itself. */
  readonly name: string;
  readonly address: string;
  /** One of pending, approved and denied. */
  readonly state: string;
  readonly scopes: string[];
  readonly decided_by: string | null;
  /** The time that the device must wait between two polls. It grows if the device does not wait. */
  readonly interval_s: number;
  readonly asked_at: Date | null;
  readonly created_at: Date;
  readonly expires_at: Date;
}

/** The output of one probe of one host at one time. The probe `host` says whether the host answered. */
export interface LabSnapshotRow {
  readonly host: string;
  readonly probe: string;
  readonly at: Date;
  readonly reading: unknown;
}

/** A fault that was found on a host. The row stays after the fault is gone, so that a returning fault has the same ID. */
export interface LabFindingRow {
  readonly id: string;
  readonly kind: string;
  readonly host: string;
  readonly name: string;
  /** The relevant part of the finding's fact when it was last seen. */
  readonly state: string;
  readonly first_seen: Date;
  readonly last_seen: Date;
  /** The state for which the finding is muted. */
  readonly muted_state: string | null;
  readonly muted_until: Date | null;
}

/** The file brief.yaml. There is at most one row. */
export interface LabRulesRow {
  readonly id: number;
  readonly yaml: string;
}

/** The schedule of the brief. There is at most one row. */
export interface LabScheduleRow {
  readonly id: number;
  /** A time such as 07:00. */
  readonly at: string;
  readonly timezone: string;
  /** The time of the last completed check. A check that a crash interrupted is repeated. */
  readonly looked_at: Date;
  readonly claimed_at: Date | null;
  /** The time of the last message. `quietAt` is the time of the last one that said that all is well. */
  readonly sent_at: Date | null;
  readonly quiet_at: Date | null;
}
