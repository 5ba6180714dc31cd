export { briefMessage, type BriefMessage } from './brief-message.js';
export { PROBES, factsOf, type Reading, type Snapshot } from './facts.js';
export { findings, type Finding, type KnownFinding } from './findings.js';
export { parseReading, readFacts } from './read-facts.js';
export { DEFAULT_RULES, NO_HOST_RULES, probeSettings, readRules, type Rules } from './rules.js';
export { SENTENCES_PROMPT, checkedSentences, findingsAsText } from './sentences.js';
export { whatChanged } from './what-changed.js';
export { workLines } from './work-lines.js';
export { writeBrief } from './write-brief.js';
