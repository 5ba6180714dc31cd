import { Global, Module, type DynamicModule } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { AfterCommit } from './after-commit.js';
import { Closing, PartsModule, type ApiParts } from './api.parts.js';
import { DecisionsModule } from './decisions/decisions.module.js';
import { EventsModule } from './events/events.module.js';
import { FilesModule } from './files/files.module.js';
import { GoalsModule } from './goals/goals.module.js';
import { ServerModule } from './health/server.module.js';
import { TokenGuard } from './http/token.guard.js';
import { KnowledgeModule } from './knowledge/knowledge.module.js';
import { LabModule } from './lab/lab.module.js';
import { McpModule } from './mcp/mcp.module.js';
import { MemoryModule } from './memory/memory.module.js';
import { MessengerModule } from './messenger/messenger.module.js';
import { HostFolders } from './sessions/host-folders.js';
import { SessionsModule } from './sessions/sessions.module.js';
import { SignInModule } from './sign-in/sign-in.module.js';
import { SpaceGuard } from './spaces/space.guard.js';
import { SpacesModule } from './spaces/spaces.module.js';
import { WebModule } from './web/web.module.js';

/** Provides the parts that several areas share. */
@Global()
@Module({ providers: [AfterCommit, HostFolders], exports: [AfterCommit, HostFolders] })
class SharedModule {}

@Module({
  imports: [
    SharedModule,
    GoalsModule,
    DecisionsModule,
    EventsModule,
    SessionsModule,
    FilesModule,
    SpacesModule,
    SignInModule,
    WebModule,
    KnowledgeModule,
    MemoryModule,
    LabModule,
    McpModule,
    MessengerModule,
    ServerModule,
  ],
  providers: [{ provide: APP_GUARD, useClass: TokenGuard }, { provide: APP_GUARD, useClass: SpaceGuard }, Closing],
})
export class ApiModule {
  static register(parts: ApiParts): DynamicModule {
    return { module: ApiModule, imports: [PartsModule.of(parts)] };
  }
}
