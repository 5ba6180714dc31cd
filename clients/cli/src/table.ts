import type { AnyCommand } from './command.js';
import { acp } from './acp.command.js';
import { archive, deleteCommand, sessionsArchive, sessionsUnarchive, unarchive } from './archive.command.js';
import { ask } from './ask.command.js';
import { audit } from './audit.command.js';
import { backup, restore } from './backup.command.js';
import { cancel } from './cancel.command.js';
import { edit, exportCommand, goOn, grantsList, grantsRevoke, pause, resume } from './control.command.js';
import { configCheck, configReference, configShow } from './config.command.js';
import { decide } from './decide.command.js';
import { decisions } from './decisions.command.js';
import { brief } from './brief.command.js';
import { digest } from './digest.command.js';
import { filesLs, filesPull, filesPush } from './files.command.js';
import { doctor } from './doctor.command.js';
import { goals } from './goals.command.js';
import { health } from './health.command.js';
import { mcpAdd, mcpConnect, mcpDisconnect, mcpList } from './mcp-servers.command.js';
import { mcpCall, mcpPrompts, mcpResources, mcpTool, mcpTools } from './mcp-tools.command.js';
import { memoryArchive, memoryCompact, memoryDocuments, memoryRead, memoryWrite } from './memory-documents.command.js';
import {
  memoryAdd,
  memoryClear,
  memoryEdit,
  memoryForget,
  memoryInject,
  memoryList,
  memoryPrune,
  memorySearch,
  memoryWhy,
  remember,
} from './memory-items.command.js';
import {
  memoryAccept,
  memoryExport,
  memoryImport,
  memoryReject,
  memoryReview,
  memorySummarize,
} from './memory-review.command.js';
import { kbCurate, kbDoctor, kbGraph, kbLint, kbQuery, kbRead, kbStatus } from './kb.read.command.js';
import { kbCurated, kbDelete, kbMerge, kbSplit, kbSupersede } from './kb.curate.command.js';
import { kbIndex, kbInit, kbPush, kbRemember } from './kb.write.command.js';
import { kbProvision, kbSync } from './kb.emacs.command.js';
import { jobs } from './jobs.command.js';
import { login } from './login.command.js';
import { models } from './models.command.js';
import { norris } from './norris.command.js';
import { recall } from './recall.command.js';
import { safetyCheck, safetyPatterns } from './safety.command.js';
import { hostAdd, hostCheck, hostList, hostPrelude, hostRemove, hostShow, hostTrust } from './host.command.js';
import { spaceList, spaceRemove, spaceSet, spaceShow } from './space.command.js';
import { sandboxCarryOver, sandboxNetwork, sandboxShow } from './sandbox.command.js';
import { setup } from './setup.command.js';
import { imageAdd, imageList, imageRebuild, imageRemove } from './image.command.js';
import { secretGive, secretList, secretRemove, secretSet } from './secret.command.js';
import { sessionGrant, sessionGrants, sessionResult, sessionRevoke, sessionTools } from './session-tools.command.js';
import {
  sessionsEnd,
  sessionsFolders,
  sessionsHosts,
  sessionsFork,
  sessionsList,
  sessionsRemove,
  sessionsRename,
  sessionsTrust,
  sessionsSearch,
  sessionsShow,
  sessionsStop,
} from './sessions.command.js';
import { eventDrop, eventRule, eventRules } from './event-rule.command.js';
import {
  eventList,
  eventRemove,
  eventReplay,
  eventShow,
  eventSource,
  eventSources,
  eventTest,
} from './event.command.js';
import { runbookAccept, runbookCheck, runbookImport, runbookList, runbookRun, runbookShow } from './runbook.command.js';
import { runbookAdopt, runbookDrop, runbookProposal, runbookProposals } from './runbook-proposals.command.js';
import { schedulesDelete, schedulesList } from './schedules.command.js';
import { changes, output } from './output.command.js';
import { show } from './show.command.js';
import { stop } from './stop.command.js';
import { tokenApprove } from './token-approve.command.js';
import { tokenCreate, tokenList, tokenRevoke } from './token.command.js';
import { preview, snapshots, undo } from './undo.command.js';
import { upgrade } from './upgrade.command.js';
import { watch } from './watch.command.js';

/** Every command, in the order of the help. */
export const COMMANDS: readonly AnyCommand[] = [
  ask,
  acp,
  norris,
  goals,
  show,
  output,
  changes,
  watch,
  cancel,
  stop,
  pause,
  resume,
  goOn,
  edit,
  archive,
  unarchive,
  deleteCommand,
  exportCommand,
  grantsList,
  grantsRevoke,
  runbookList,
  runbookShow,
  runbookRun,
  runbookCheck,
  runbookImport,
  runbookAccept,
  runbookProposals,
  runbookProposal,
  runbookAdopt,
  runbookDrop,
  schedulesList,
  schedulesDelete,
  digest,
  brief,
  eventSource,
  eventSources,
  eventRemove,
  eventRule,
  eventRules,
  eventDrop,
  eventList,
  eventShow,
  eventTest,
  eventReplay,
  decisions,
  decide,
  sessionsList,
  sessionsShow,
  sessionsSearch,
  sessionsRename,
  sessionsTrust,
  sessionsFolders,
  sessionsHosts,
  sessionsFork,
  sessionsStop,
  sessionsEnd,
  sessionsArchive,
  sessionsUnarchive,
  sessionsRemove,
  sessionTools,
  sessionGrants,
  sessionGrant,
  sessionRevoke,
  sessionResult,
  preview,
  snapshots,
  undo,
  filesLs,
  filesPull,
  filesPush,
  sandboxShow,
  sandboxCarryOver,
  sandboxNetwork,
  spaceList,
  spaceShow,
  spaceSet,
  spaceRemove,
  hostAdd,
  hostTrust,
  hostCheck,
  hostPrelude,
  hostList,
  hostShow,
  hostRemove,
  setup,
  imageAdd,
  imageList,
  imageRebuild,
  imageRemove,
  secretSet,
  secretList,
  secretGive,
  secretRemove,
  safetyPatterns,
  safetyCheck,
  remember,
  recall,
  memoryList,
  memoryAdd,
  memorySearch,
  memoryEdit,
  memoryForget,
  memoryClear,
  memoryWhy,
  memoryInject,
  memorySummarize,
  memoryReview,
  memoryAccept,
  memoryReject,
  memoryPrune,
  memoryExport,
  memoryImport,
  memoryDocuments,
  memoryRead,
  memoryWrite,
  memoryCompact,
  memoryArchive,
  kbQuery,
  kbRead,
  kbRemember,
  kbLint,
  kbDoctor,
  kbStatus,
  kbCurate,
  kbCurated,
  kbMerge,
  kbSplit,
  kbSupersede,
  kbDelete,
  kbGraph,
  kbIndex,
  kbSync,
  kbPush,
  kbInit,
  kbProvision,
  models,
  jobs,
  mcpConnect,
  mcpAdd,
  mcpDisconnect,
  mcpList,
  mcpTools,
  mcpTool,
  mcpCall,
  mcpResources,
  mcpPrompts,
  login,
  tokenApprove,
  tokenCreate,
  tokenList,
  tokenRevoke,
  audit,
  backup,
  restore,
  configCheck,
  configReference,
  configShow,
  health,
  upgrade,
  doctor,
];

/** What the first words of two-word commands stand for. */
export const GROUPS: Readonly<Record<string, string>> = {
  sessions: 'conversations: listed, searched, renamed, forked, taken away and brought back; their tools',
  sandbox: 'where the commands of a session run, and what they may reach',
  space: 'what goals and chats of a project reach, and who may work in it',
  host: 'other machines that goals and chats may use over SSH',
  image: 'what commands of a space run in: tools that the usual image lacks',
  secret: 'what commands may use without having it: API keys for named hosts',
  grants: 'what runs in a goal without being asked about again',
  runbook:
    'procedures that goals follow, in the knowledge base: shown, run, checked, brought there, and what models propose',
  schedules: 'goals that are given again and again',
  event: 'what happens elsewhere and gives goals: its senders, its rules, and what came',
  files: 'files of a workspace: listed, fetched and put there',
  memory: 'what aish knows between sessions: items and documents',
  mcp: 'MCP servers: connected, listed, and their tools, resources and prompts',
  config: 'the settings: checked and explained without a server',
  token: 'who may do what: made, listed and revoked by an admin',
  kb: 'the knowledge base: nodes in a git repository, found, written and kept true',
  safety: 'what the safety gate stops, and what it says about a command',
};
