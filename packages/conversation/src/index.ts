export { compose, type Message } from './compose.js';
export { MAX_COMMANDS_PER_ANSWER, extract, type Extraction, type GoalLine } from './extract.js';
export { DEFAULT_SYSTEM_PROMPT, GOAL_SYSTEM_PROMPT, NORRIS_SYSTEM_PROMPT } from './system-prompt.js';
export { approvedTurn, lostTurn, nudgeTurn, outputTurn, refusedTurn, skippedTurn } from './turns.js';
