import { Module } from '@nestjs/common';
import { ArchiveController } from './archive.controller.js';
import { ArchiveService } from './archive.service.js';
import { ChatStops } from './chat-stops.js';
import { ChatUpkeep } from './chat-upkeep.js';
import { ChatController, ChatMessages } from './chat.controller.js';
import { ChatsService } from './chats.service.js';
import { CommandGrants } from './command-grants.js';
import { CommandGrantsController } from './command-grants.controller.js';
import { NetworkController } from './network.controller.js';
import { NetworkService } from './network.service.js';
import { OwnCommands, OwnCommandsController } from './own-commands.js';
import { SessionSandboxController, SessionSandboxes } from './session-sandbox.controller.js';
import { SessionStreams } from './session-streams.js';
import { SessionTools } from './session-tools.js';
import { SessionToolsController } from './session-tools.controller.js';
import { SessionsController } from './sessions.controller.js';
import { SessionsService } from './sessions.service.js';

@Module({
  controllers: [
    ArchiveController,
    SessionsController,
    SessionToolsController,
    ChatController,
    CommandGrantsController,
    OwnCommandsController,
    NetworkController,
    SessionSandboxController,
  ],
  providers: [
    SessionsService,
    ChatsService,
    ChatMessages,
    ChatStops,
    ChatUpkeep,
    SessionStreams,
    SessionTools,
    CommandGrants,
    OwnCommands,
    ArchiveService,
    NetworkService,
    SessionSandboxes,
  ],
  exports: [ChatUpkeep, ChatsService, SessionStreams],
})
export class SessionsModule {}
