import { Controller, Delete, HttpCode, Param } from '@nestjs/common';
import { z } from 'zod';
import { WorkspaceRemoval } from './workspace.removal.js';

const Id = z.uuid().toLowerCase();

@Controller('v1/workspaces')
export class RemovalController {
  constructor(private readonly removal: WorkspaceRemoval) {}

  /** Deletes the volume of a workspace with its contents, its snapshots and its network policy. */
  @Delete(':id')
  @HttpCode(204)
  async remove(@Param('id', { schema: Id }) id: string): Promise<void> {
    await this.removal.remove(id);
  }
}
