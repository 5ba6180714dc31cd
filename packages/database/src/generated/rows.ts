// Generated from prisma/schema.prisma by prisma/row-types.mjs. DO NOT EDIT.

/** A row of `sessions`. */
export interface SessionRow {
  readonly id: string;
  readonly number: number;
  readonly kind: string;
  readonly title: string;
  readonly event_seq: number;
  readonly turn_seq: number;
  readonly sandbox: string | null;
  readonly carry_over: boolean;
  readonly space: string;
  readonly network: unknown;
  readonly network_more: unknown;
  readonly run_image: unknown;
  readonly mcp_servers: string[] | null;
  readonly archived: boolean;
  readonly recalled_seq: number;
  readonly created_at: Date;
  readonly updated_at: Date;
}

/** A row of `chats`. */
export interface ChatRow {
  readonly session_id: string;
  readonly owner: string;
  readonly preset: string;
  readonly auto_continue: boolean;
  readonly confirm_commands: boolean;
  readonly trust: string;
  readonly host_folders: string[];
  readonly hosts: string[];
  readonly state: string;
  readonly exchange: number;
  readonly rounds: number;
  readonly epoch: number;
  readonly draft: string;
  readonly draft_reasoning: string;
  readonly offered: unknown;
  readonly grants: unknown;
  readonly forked_session: string | null;
  readonly forked_turn: number | null;
  readonly titled: boolean;
  readonly goal_id: string | null;
  readonly updated_at: Date;
}

/** A row of `kept_results`. */
export interface KeptResultRow {
  readonly session_id: string;
  readonly n: number;
  readonly label: string;
  readonly mime_type: string | null;
  readonly content: string;
  readonly size_bytes: number;
  readonly created_at: Date;
}

/** A row of `tool_approvals`. */
export interface ToolApprovalRow {
  readonly label: string;
  readonly fingerprint: string;
  readonly approved_by: string;
  readonly approved_at: Date;
}

/** A row of `model_fits`. */
export interface ModelCapabilitiesRow {
  readonly base_url: string;
  readonly model: string;
  readonly fit: unknown;
  readonly updated_at: Date;
}

/** A row of `turns`. */
export interface TurnRow {
  readonly session_id: string;
  readonly seq: number;
  readonly role: string;
  readonly provenance: string;
  readonly content: string;
  readonly parts: unknown;
  readonly meta: unknown;
  readonly created_at: Date;
}

/** A row of `goals`. */
export interface GoalRow {
  readonly id: string;
  readonly number: number;
  readonly session_id: string;
  readonly text: string;
  readonly space: string;
  readonly preset: string;
  readonly host_folders: string[];
  readonly hosts: string[];
  readonly state: string;
  readonly reason: string | null;
  readonly waiting_for: string | null;
  readonly wake_at: Date | null;
  readonly waits: number;
  readonly step_budget: number;
  readonly steps_taken: number;
  readonly nudged: boolean;
  readonly awaits_plan: boolean;
  readonly summary: string | null;
  readonly priority: string;
  readonly verify: string | null;
  readonly verified: boolean;
  readonly checks_failed: number;
  readonly token_budget: number | null;
  readonly tokens_used: number;
  readonly time_budget_ms: number | null;
  readonly active_ms: number;
  readonly halt_expiry_ms: number | null;
  readonly halt_expiry_verdict: string | null;
  readonly seed: number | null;
  readonly trust: string;
  readonly malformed: number;
  readonly tool_depth: number;
  readonly failures: number;
  readonly offered: unknown;
  readonly schedule_id: string | null;
  readonly schedule_key: string | null;
  readonly epoch: number;
  readonly created_by: string;
  readonly created_at: Date;
  readonly updated_at: Date;
  readonly ended_at: Date | null;
  readonly archived: boolean;
  readonly story_forgotten_at: Date | null;
  readonly chat_id: string | null;
  readonly runbooks: unknown;
  readonly chat_told: Date | null;
}

/** A row of `follow_ups`. */
export interface FollowUpRow {
  readonly goal_id: string;
  readonly goal: unknown;
  readonly notices: string[];
  readonly attempt: number;
  readonly followed_at: Date | null;
}

/** A row of `steps`. */
export interface StepRow {
  readonly session_id: string;
  readonly n: number;
  readonly text: string | null;
  readonly model: string | null;
  readonly usage: unknown;
  readonly goal_line: unknown;
  readonly notes: unknown;
  readonly started_at: Date;
  readonly answered_at: Date | null;
}

/** A row of `actions`. */
export interface ActionRow {
  readonly id: string;
  readonly session_id: string;
  readonly step_number: number;
  readonly n: number;
  readonly kind: string;
  readonly command: string | null;
  readonly call_id: string | null;
  readonly tool: string | null;
  readonly label: string | null;
  readonly arguments: string | null;
  readonly read_only: boolean;
  readonly is_check: boolean;
  readonly state: string;
  readonly classification: unknown;
  readonly outcome: unknown;
  readonly digest: string | null;
  readonly skip_reason: string | null;
  readonly result: unknown;
  readonly started_at: Date | null;
  readonly ended_at: Date | null;
}

/** A row of `decisions`. */
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
  readonly surroundings: unknown;
  readonly difference: unknown;
  readonly binding: string | null;
  readonly action: string;
  readonly request: unknown;
  readonly step_number: number | null;
  readonly step_budget: number | null;
  readonly context: string;
  readonly verdict: string | null;
  readonly message: string | null;
  readonly answer: unknown;
  readonly edited: string | null;
  readonly granted: string | null;
  readonly attempt: number | null;
  readonly carried: boolean;
  readonly preview: string | null;
  readonly decided_by: string | null;
  readonly approvals: unknown;
  readonly waits_until: Date | null;
  readonly in_window: boolean;
  readonly expires_at: Date | null;
  readonly expiry_verdict: string | null;
  readonly created_at: Date;
  readonly decided_at: Date | null;
}

/** A row of `grants`. */
export interface GrantRow {
  readonly id: string;
  readonly goal_id: string | null;
  readonly chat_id: string | null;
  readonly scope: string;
  readonly action: string | null;
  readonly rule_id: string | null;
  readonly binding: string | null;
  readonly carried: boolean;
  readonly uses: number;
  readonly created_by: string;
  readonly created_at: Date;
  readonly revoked_by: string | null;
  readonly revoked_at: Date | null;
}

/** A row of `refusals`. */
export interface RefusalRow {
  readonly id: string;
  readonly session_id: string;
  readonly step: number | null;
  readonly action: string;
  readonly words: string | null;
  readonly paths: string[];
  readonly lifted: string[];
  readonly created_at: Date;
}

/** A row of `schedules`. */
export interface ScheduleRow {
  readonly id: string;
  readonly number: number;
  readonly cron: string;
  readonly timezone: string;
  readonly overlap: string;
  readonly report_when: string;
  readonly goal: unknown;
  readonly skipped: number;
  readonly created_by: string;
  readonly created_at: Date;
}

/** A row of `event_sources`. */
export interface EventSourceRow {
  readonly name: string;
  readonly proof: string;
  readonly header: string | null;
  readonly sealed: string;
  readonly created_by: string;
  readonly created_at: Date;
}

/** A row of `event_rules`. */
export interface EventRuleRow {
  readonly id: string;
  readonly number: number;
  readonly source: string;
  readonly rule: unknown;
  readonly created_by: string;
  readonly created_at: Date;
}

/** A row of `received_events`. */
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

/** A row of `events`. */
export interface EventRow {
  readonly session_id: string;
  readonly seq: number;
  readonly type: string;
  readonly payload: unknown;
  readonly at: Date;
}

/** A row of `api_tokens`. */
export interface ApiTokenRow {
  readonly id: string;
  readonly name: string;
  readonly hash: string;
  readonly scopes: string[];
  readonly owner: string | null;
  readonly space: string | null;
  readonly app: string | null;
  readonly created_at: Date;
  readonly expires_at: Date | null;
  readonly revoked_at: Date | null;
  readonly last_used_at: Date | null;
  readonly projects: string[];
  readonly scoped: boolean;
  readonly web: boolean;
  readonly parent_id: string | null;
}

/** A row of `audit`. */
export interface AuditRow {
  readonly n: bigint;
  readonly at: Date;
  readonly actor: string;
  readonly action: string;
  readonly subject: string;
  readonly facts: unknown;
  readonly seal: bigint | null;
  readonly hash: string | null;
}

/** A row of `accepted_runbooks`. */
export interface AcceptedRunbookRow {
  readonly name: string;
  readonly digest: string;
  readonly tools: string[];
  readonly commands: string[];
  readonly accepted_by: string;
  readonly accepted_at: Date;
}

/** A row of `runbook_proposals`. */
export interface RunbookProposalRow {
  readonly number: number;
  readonly name: string;
  readonly text: string;
  readonly why: string;
  readonly digest: string | null;
  readonly session_id: string | null;
  readonly state: string;
  readonly at: Date;
  readonly decided_by: string | null;
  readonly decided_at: Date | null;
}

/** A row of `hosts`. */
export interface HostRow {
  readonly name: string;
  readonly address: string;
  readonly port: number;
  readonly user: string;
  readonly login: string;
  readonly keys: string[];
  readonly sealed: string | null;
  readonly prelude: string | null;
  readonly rollback: string | null;
  readonly created_by: string;
  readonly created_at: Date;
}

/** A row of `host_commands`. */
export interface HostCommandRow {
  readonly id: string;
  readonly serial: bigint;
  readonly host: string;
  readonly command: string;
  readonly verdict: string;
  readonly reason: string | null;
  readonly session_id: string;
  readonly goal_id: string | null;
  readonly action_id: string;
  readonly at: Date;
  readonly exit_code: number | null;
  readonly ended_at: Date | null;
  readonly way_back: string | null;
}

/** A row of `host_evidence`. */
export interface HostEvidenceRow {
  readonly id: string;
  readonly session_id: string;
  readonly action_id: string;
  readonly host: string;
  readonly command: string;
  readonly subjects: string[];
  readonly text: string;
  readonly failed: string | null;
  readonly at: Date;
}

/** A row of `memory_entries`. */
export interface MemoryEntryRow {
  readonly owner: string;
  readonly number: number;
  readonly kind: string;
  readonly content: string | null;
  readonly target: number | null;
  readonly tags: string[];
  readonly origin: string | null;
  readonly source: unknown;
  readonly by: string;
  readonly at: Date;
  readonly replaces: number | null;
  readonly forgotten_by: number | null;
  readonly extra: unknown;
  readonly questions: string | null;
}

/** A row of `memory_vectors`. */
export interface MemoryVectorRow {
  readonly owner: string;
  readonly number: number;
  readonly model: string;
  readonly dimensions: number;
  readonly vector: Uint8Array;
  readonly seq: bigint;
}

/** A row of `recall_texts`. */
export interface RecallTextRow {
  readonly id: number;
  readonly shelf: string;
  readonly session_id: string | null;
  readonly document_id: string | null;
  readonly node_id: string | null;
  readonly place: number;
  readonly part: number;
  readonly title: string;
  readonly content: string;
  readonly by: string;
  readonly at: Date;
  readonly questions: string | null;
}

/** A row of `recall_vectors`. */
export interface RecallVectorRow {
  readonly text_id: number;
  readonly shelf: string;
  readonly model: string;
  readonly dimensions: number;
  readonly vector: Uint8Array;
  readonly seq: bigint;
}

/** A row of `memory_candidates`. */
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

/** A row of `memory_backgrounds`. */
export interface MemoryBackgroundRow {
  readonly session_id: string;
  readonly owner: string;
  readonly numbers: number[];
  readonly instructions: string | null;
  readonly loaded_at: Date | null;
}

/** A row of `memory_documents`. */
export interface MemoryDocumentRow {
  readonly id: string;
  readonly scope: string;
  readonly owner: string | null;
  readonly space: string | null;
  readonly app: string | null;
  readonly key: string;
  readonly content: Uint8Array;
  readonly size_bytes: number;
  readonly lines: number;
  readonly version: number;
  readonly updated_at: Date;
  readonly updated_by: string;
  readonly recalled_version: number;
}

/** A row of `memory_headings`. */
export interface MemoryHeadingRow {
  readonly document_id: string;
  readonly n: number;
  readonly line: number;
  readonly offset_bytes: number;
  readonly depth: number;
  readonly title: string;
}

/** A row of `memory_archives`. */
export interface MemoryArchiveRow {
  readonly document_id: string;
  readonly path: string;
  readonly content: Uint8Array;
  readonly size_bytes: number;
  readonly reason: string;
  readonly version: number | null;
  readonly at: Date;
}

/** A row of `knowledge_nodes`. */
export interface KnowledgeNodeRow {
  readonly id: string;
  readonly path: string;
  readonly title: string;
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

/** A row of `knowledge_links`. */
export interface KnowledgeLinkRow {
  readonly from_id: string;
  readonly to_id: string;
  readonly relation: string;
}

/** A row of `knowledge_index`. */
export interface KnowledgeIndexRow {
  readonly id: number;
  readonly dir: string;
  readonly commit: string;
  readonly indexed_at: Date;
}

/** A row of `mcp_servers`. */
export interface McpServerRow {
  readonly alias: string;
  readonly settings: unknown;
  readonly sealed: string | null;
  readonly is_saved: boolean;
  readonly created_by: string;
  readonly created_at: Date;
  readonly expires_at: Date | null;
}

/** A row of `secrets`. */
export interface SecretRow {
  readonly name: string;
  readonly sealed: string;
  readonly targets: unknown;
  readonly exposed: boolean;
  readonly body: boolean;
  readonly certificate: string | null;
  readonly set_by: string;
  readonly set_at: Date;
}

/** A row of `session_secrets`. */
export interface SessionSecretRow {
  readonly session_id: string;
  readonly name: string;
}

/** A row of `spaces`. */
export interface SpaceRow {
  readonly name: string;
  readonly network: unknown;
  readonly host_folders: string[];
  readonly hosts: string[];
  readonly secrets: string[];
  readonly image: string | null;
  readonly limits: unknown;
  readonly mcp_servers: string[] | null;
  readonly preset: string | null;
  readonly step_budget: number | null;
  readonly token_budget: number | null;
  readonly instructions: string;
  readonly users: string[] | null;
  readonly deciders: string[] | null;
  readonly windows: unknown;
  readonly approvals: unknown;
  readonly escalation: unknown;
  readonly changed_by: string;
  readonly changed_at: Date;
}

/** A row of `images`. */
export interface ImageRow {
  readonly name: string;
  readonly recipe: unknown;
  readonly built: string | null;
  readonly digest: string | null;
  readonly size_bytes: bigint | null;
  readonly built_at: Date | null;
  readonly building: string | null;
  readonly detail: string | null;
  readonly set_by: string;
  readonly set_at: Date;
}

/** A row of `mcp_authorizations`. */
export interface McpAuthorizationRow {
  readonly alias: string;
  readonly url: string;
  readonly sealed: string;
  readonly updated_at: Date;
}

/** A row of `notification_channels`. */
export interface NotificationChannelRow {
  readonly name: string;
  readonly since: Date;
}

/** A row of `notifications`. */
export interface NotificationRow {
  readonly id: string;
  readonly key: string;
  readonly channel: string;
  readonly kind: string;
  readonly goal_id: string | null;
  readonly decision_id: string | null;
  readonly text: string | null;
  readonly recipient: string | null;
  readonly state: string;
  readonly attempts: number;
  readonly due_at: Date;
  readonly error: string | null;
  readonly created_at: Date;
  readonly sent_at: Date | null;
}

/** A row of `push_subscriptions`. */
export interface PushSubscriptionRow {
  readonly token_id: string;
  readonly endpoint: string;
  readonly p256dh: string;
  readonly auth: string;
  readonly created_at: Date;
}

/** A row of `messenger_accounts`. */
export interface MessengerAccountRow {
  readonly channel: string;
  readonly account: string;
  readonly room: string;
  readonly token_id: string;
  readonly session_id: string | null;
  readonly created_at: Date;
}

/** A row of `messenger_codes`. */
export interface MessengerCodeRow {
  readonly token_id: string;
  readonly hash: string;
  readonly expires_at: Date;
}

/** A row of `signing_keys`. */
export interface SigningKeyRow {
  readonly name: string;
  readonly key: Uint8Array;
  readonly created_at: Date;
}

/** A row of `sign_ins`. */
export interface SignInRow {
  readonly id: string;
  readonly code: string;
  readonly secret_hash: string;
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
  readonly confirmation: string | null;
  readonly name: string | null;
  readonly scopes: string[];
  readonly confirmed: boolean;
  readonly expires_at: Date;
}

/** A row of `device_logins`. */
export interface DeviceLoginRow {
  readonly user_code: string;
  readonly device_hash: string;
  readonly name: string;
  readonly address: string;
  readonly state: string;
  readonly scopes: string[];
  readonly decided_by: string | null;
  readonly interval_s: number;
  readonly asked_at: Date | null;
  readonly created_at: Date;
  readonly expires_at: Date;
}

/** A row of `lab_snapshots`. */
export interface LabSnapshotRow {
  readonly host: string;
  readonly probe: string;
  readonly at: Date;
  readonly reading: unknown;
}

/** A row of `lab_findings`. */
export interface LabFindingRow {
  readonly id: string;
  readonly kind: string;
  readonly host: string;
  readonly name: string;
  readonly state: string;
  readonly first_seen: Date;
  readonly last_seen: Date;
  readonly muted_state: string | null;
  readonly muted_until: Date | null;
}

/** A row of `lab_rules`. */
export interface LabRulesRow {
  readonly id: number;
  readonly yaml: string;
}

/** A row of `lab_schedule`. */
export interface LabScheduleRow {
  readonly id: number;
  readonly at: string;
  readonly timezone: string;
  readonly looked_at: Date;
  readonly claimed_at: Date | null;
  readonly told_at: Date | null;
  readonly quiet_at: Date | null;
}
