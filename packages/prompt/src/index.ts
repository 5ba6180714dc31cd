export { chatBackground, goalEndedTurn, goalGivenTurn } from './chat-background.js';
export { compose, composeWindow, isCut, type Message, type Window } from './compose.js';
export {
  MAX_COMMANDS_PER_ANSWER,
  endsInCommand,
  extract,
  splitCommands,
  type Extraction,
  type GoalLine,
  MAX_COMMAND_LINES,
} from './extract.js';
export {
  DEFAULT_SYSTEM_PROMPT,
  GOAL_SYSTEM_PROMPT,
  KNOWLEDGE_SYSTEM_PROMPT,
  NORRIS_SYSTEM_PROMPT,
  TOOLS_SYSTEM_PROMPT,
  chatSystemPrompt,
  goalSystemPrompt,
  type Dialect,
} from './system-prompt.js';
export {
  folderNotice,
  hostNotice,
  imageNotice,
  networkNotice,
  secretsNotice,
  spaceTurn,
  wayNotice,
} from './access-notices.js';
export {
  approvedTurn,
  asRefusal,
  backgroundTurn,
  noticeTurn,
  lostTurn,
  noteTurn,
  notCompleteTurn,
  nudgeTurn,
  answerInWordsTurn,
  failedBesideTurn,
  provesNothingTurn,
  outputTurn,
  refusedTurn,
  rolledBackInsteadTurn,
  rolledBackTurn,
  takenBackTurn,
  skippedTurn,
  stoppedAnswerTurn,
  checkAcceptedTurn,
  checkFailedTurn,
  checkLostTurn,
  checkRefusedTurn,
  checkTakenTurn,
  continuedTurn,
  questionAnsweredTurn,
  questionDeclinedTurn,
  editedTurn,
  goalEditedTurn,
  insteadTurn,
  needGivenTurn,
  needRefusedTurn,
  notAskedAgainTurn,
  notRunTurn,
  beforePlanTurn,
  planAcceptedTurn,
  planFirstTurn,
  planKnownTurn,
  planRefusedTurn,
  proposeCheckTurn,
  repeatedTurn,
  runbookTurn,
  schemaEchoTurn,
  followUpTurn,
  unansweredTurn,
  cutAnswerTurn,
  type CutAnswer,
} from './turns.js';
export { provesNothing } from './check.js';
export { hasFence, rescue, type Rescued } from './rescue.js';
export { tidy } from './tidy.js';
export { explained } from './when-needed.js';
export { withThoughts } from './thoughts.js';
export { AnswerGuard, IN_COMMAND_FACTOR, Repetition } from './answer-guard.js';
export { openPart, type Open } from './shell-complete.js';
export { wordsIn, type SessionWords } from './provenance.js';
