import { Module, type DynamicModule, type OnApplicationShutdown } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import type { Broker } from '@aish/broker';
import type { Preset } from '@aish/contracts';
import type { Database } from '@aish/database';
import type { EventBus, QueueStore } from '@aish/queue';
import type { Logger } from '@aish/http';
import type { Sandbox } from '@aish/sandbox-client';
import { AfterCommit } from './after-commit.js';
import { DecisionsController } from './decisions/decisions.controller.js';
import { DecisionsService } from './decisions/decisions.service.js';
import { GoalsController } from './goals/goals.controller.js';
import { GoalsService } from './goals/goals.service.js';
import { HealthController } from './health/health.controller.js';
import { HealthService } from './health/health.service.js';
import { OpenApiController, OpenApiDocument } from './http/openapi.controller.js';
import { TokenGuard } from './http/token.guard.js';
import { ModelsController } from './models/models.controller.js';
import { ModelsService } from './models/models.service.js';
import { SafetyController } from './safety/safety.controller.js';
import { SafetyService } from './safety/safety.service.js';
import { EventHub } from './sessions/event-hub.js';
import { SessionStreams, SessionsController } from './sessions/sessions.controller.js';

/** What the api stands on. Opened by main.ts; closed by the module when the application shuts down. */
export interface ApiParts {
  readonly db: Database;
  readonly queue: QueueStore;
  readonly bus: EventBus;
  readonly hub: EventHub;
  readonly broker: Broker;
  readonly sandbox: Sandbox;
  readonly presets: readonly Preset[];
  readonly safety: SafetyService;
  readonly logger: Logger;
}

/** Closes the parts after the last request. */
class Closing implements OnApplicationShutdown {
  constructor(private readonly parts: ApiParts) {}

  async onApplicationShutdown(): Promise<void> {
    const { hub, bus, queue, db } = this.parts;
    await hub.stop();
    await bus.close();
    await queue.close();
    await db.close();
  }
}

@Module({})
export class ApiModule {
  static register(parts: ApiParts): DynamicModule {
    const { db, queue, bus, hub, broker, sandbox, presets, logger } = parts;
    const after = new AfterCommit(queue, bus, logger);
    const names = presets.map((preset) => preset.name);
    return {
      module: ApiModule,
      controllers: [
        GoalsController,
        DecisionsController,
        SessionsController,
        ModelsController,
        SafetyController,
        HealthController,
        OpenApiController,
      ],
      providers: [
        { provide: APP_GUARD, useValue: new TokenGuard(db) },
        { provide: GoalsService, useValue: new GoalsService(db, after, sandbox, names) },
        { provide: DecisionsService, useValue: new DecisionsService(db, after) },
        { provide: SessionStreams, useValue: new SessionStreams(db, hub) },
        { provide: ModelsService, useValue: new ModelsService(broker, presets) },
        { provide: SafetyService, useValue: parts.safety },
        { provide: HealthService, useValue: new HealthService(db, queue, sandbox) },
        { provide: OpenApiDocument, useValue: new OpenApiDocument() },
        { provide: Closing, useValue: new Closing(parts) },
      ],
    };
  }
}
