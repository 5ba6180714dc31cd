export { boundFiles } from './bound-files.js';
export { classify, type ClassifyOptions } from './classify.js';
export { evidenceSubjects, subjectName, type EvidenceSubject } from './hosts/evidence-subjects.js';
export { STAKES, connectionStakes, type ConnectionStakes, type Stake } from './hosts/connection-stakes.js';
export { hostCalls, readsOnlyOnHost, timesCovered, type HostCall } from './hosts/host-calls.js';
export { createsOnHost, onlyOverwrites } from './hosts/creates-on-host.js';
export { scriptsOnHost } from './hosts/scripts-on-host.js';
export { sshRequest, type NoRequest, type SshRequest } from './hosts/ssh-request.js';
export { whenAsked, type Ground, type Timing } from './ask-first.js';
export { knownReadOnly, onlyFound } from './known-read-only.js';
export { answerRecord, classifyRecord, readRecord, type RecordAnswer, type SafetyRecord } from './records.js';
export { namedPaths, namedThings, pathsApprovedBy } from './named-paths.js';
export { namedPlaces } from './named-places.js';
export { programsOfOthers, tellsAll } from './tells-all.js';
export { untoldParts } from './untold.js';
export { RULES } from './rules/catalogue.js';
export { type Rule, type Severity } from './rules/rule.js';
export {
  ALWAYS_DESTRUCTIVE,
  classifyToolCall,
  toolKnownReadOnly,
  type ToolCall,
  type ToolCallOptions,
} from './tool-calls.js';
export { OUTWARD, isOutward, judgeOutward, withOutward, type OutwardAction } from './outward/judge-outward.js';
export { type SessionWords } from './outward/address-origin.js';
