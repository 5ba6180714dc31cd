import { COMMAND_TABLE } from '@aish/views/commands/table';
import type { AnyCommand, Behaviour } from './command.js';
import { endpointCommand } from './endpoint.command.js';
import { invariant } from '@aish/contracts/invariant';
import { acp } from './acp.command.js';
import { ask } from './ask.command.js';
import { audit } from './audit.command.js';
import { backup, restore as restoreBackup } from './backup.command.js';
import { brief } from './brief.command.js';
import { chatList } from './chat.command.js';
import { configApply, configExport } from './config-files.command.js';
import { configShow, configCheck } from './config.command.js';
import { exportCommand, resume, steer } from './control.command.js';
import { decide } from './decide.command.js';
import { doctor } from './doctor.command.js';
import { eventRule } from './event-rule.command.js';
import { eventSource, eventReplay } from './event.command.js';
import { filesLs, filesPull, filesPush } from './files.command.js';
import { grantList, grantAdd, grantRemove } from './grant.command.js';
import { hostAdd, hostTrust, hostCheck, hostSet } from './host.command.js';
import { imageAdd } from './image.command.js';
import { kbDelete, kbMerge, kbSplit, kbSupersede, kbCurate } from './kb.curate.command.js';
import { kbInit, kbSync } from './kb.emacs.command.js';
import { kbQuery, kbRead, kbDoctor, kbGraph } from './kb.read.command.js';
import { kbRemember, kbPush } from './kb.write.command.js';
import { login } from './login.command.js';
import { mcpAdd } from './mcp-servers.command.js';
import { mcpCall, mcpShow } from './mcp-tools.command.js';
import { memoryRead, memoryWrite } from './memory-documents.command.js';
import { remember, memoryList, memoryRemove, memoryInject } from './memory-items.command.js';
import { memorySummarize, memoryReview, memoryReject, memoryExport, memoryImport } from './memory-review.command.js';
import { models } from './models.command.js';
import { norris, scheduleAdd } from './norris.command.js';
import { output } from './output.command.js';
import { recall } from './recall.command.js';
import { runbookList, runbookShow, runbookAccept, runbookReject } from './runbook-proposals.command.js';
import { runbookRun, runbookImport } from './runbook.command.js';
import { safetyPatterns, safetyCheck } from './safety.command.js';
import { secretSet } from './secret.command.js';
import { set } from './set.command.js';
import { setup } from './setup.command.js';
import { show } from './show.command.js';
import { spaceSet } from './space.command.js';
import { stop } from './stop.command.js';
import { tokenApprove } from './token-approve.command.js';
import { tokenCreate } from './token.command.js';
import { preview, undo } from './undo.command.js';
import { upgrade } from './upgrade.command.js';
import { watch } from './watch.command.js';
import { rename, archive, restore, remove } from './work.command.js';

/** The implementations of commands that are more than one call of an endpoint. */
const BEHAVIOURS: Readonly<Record<string, Behaviour>> = {
  run: norris,
  ask,
  'chat list': chatList,
  brief,
  watch,
  show,
  output,
  decide,
  preview,
  undo,
  stop,
  resume,
  steer,
  set,
  rename,
  archive,
  restore,
  remove,
  export: exportCommand,
  'file list': filesLs,
  'file pull': filesPull,
  'file push': filesPush,
  'grant list': grantList,
  'grant add': grantAdd,
  'grant remove': grantRemove,
  remember,
  recall,
  'memory list': memoryList,
  'memory remove': memoryRemove,
  'memory inject': memoryInject,
  'memory summarize': memorySummarize,
  'memory review': memoryReview,
  'memory reject': memoryReject,
  'memory export': memoryExport,
  'memory import': memoryImport,
  'memory document show': memoryRead,
  'memory document add': memoryWrite,
  'kb list': kbQuery,
  'kb show': kbRead,
  'kb add': kbRemember,
  'kb remove': kbDelete,
  'kb merge': kbMerge,
  'kb split': kbSplit,
  'kb supersede': kbSupersede,
  'kb curate': kbCurate,
  'kb doctor': kbDoctor,
  'kb graph': kbGraph,
  'kb sync': kbSync,
  'kb push': kbPush,
  'kb init': kbInit,
  'schedule add': scheduleAdd,
  'runbook list': runbookList,
  'runbook show': runbookShow,
  'runbook run': runbookRun,
  'runbook import': runbookImport,
  'runbook accept': runbookAccept,
  'runbook reject': runbookReject,
  'event source add': eventSource,
  'event rule add': eventRule,
  'event replay': eventReplay,
  'space set': spaceSet,
  'host add': hostAdd,
  'host trust': hostTrust,
  'host check': hostCheck,
  'host set': hostSet,
  'secret set': secretSet,
  'image add': imageAdd,
  'mcp add': mcpAdd,
  'mcp show': mcpShow,
  'mcp call': mcpCall,
  'safety list': safetyPatterns,
  'safety check': safetyCheck,
  setup,
  login,
  doctor,
  upgrade,
  audit,
  backup,
  'backup restore': restoreBackup,
  acp,
  'model list': models,
  'token add': tokenCreate,
  'token approve': tokenApprove,
  'config show': configShow,
  'config check': configCheck,
  'config export': configExport,
  'config apply': configApply,
};

/** Every command, in the order of the help. */
export const COMMANDS: readonly AnyCommand[] = COMMAND_TABLE.map((command): AnyCommand => {
  const { name, about, short = [], call } = command;
  if (call !== null) return endpointCommand(command, call);
  const behaviour = BEHAVIOURS[name];
  invariant(behaviour !== undefined, `something carries out aish ${name}`);
  return { ...behaviour, name, about, short };
});
