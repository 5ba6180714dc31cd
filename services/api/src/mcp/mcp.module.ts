import { Module } from '@nestjs/common';
import { DecisionsModule } from '../decisions/decisions.module.js';
import { GoalsModule } from '../goals/goals.module.js';
import { EndpointController, McpServing } from './endpoint.controller.js';
import { GoalTasks } from './goal.tasks.js';
import { McpController } from './mcp.controller.js';
import { McpService } from './mcp.service.js';

@Module({
  imports: [GoalsModule, DecisionsModule],
  controllers: [McpController, EndpointController],
  providers: [McpService, GoalTasks, McpServing],
  exports: [McpService],
})
export class McpModule {}
