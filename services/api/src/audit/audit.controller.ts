import { Controller, Get, Query } from '@nestjs/common';
import { ApiBearerAuth, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { AuditCheck, AuditList, CheckAudit, ListAudit } from '@aish/contracts/audit';
import { listAudit } from '@aish/database/audit.repository';
import { checkAudit, sealAudit } from '@aish/database/audit-chain.repository';
import type { Database } from '@aish/database/client';
import { Needs } from '../http/needs.decorator.js';

/** The audit log as admins read it. */
export class AuditLog {
  constructor(private readonly db: Database) {}

  async list(query: ListAudit): Promise<AuditList> {
    return { items: await listAudit(this.db.statements, query) };
  }

  /** Of all that is written by now. */
  async check(head: string | null): Promise<AuditCheck> {
    await sealAudit(this.db);
    return checkAudit(this.db.statements, head);
  }
}

@ApiTags('audit')
@ApiBearerAuth()
@Controller('v1/audit')
export class AuditController {
  constructor(private readonly log: AuditLog) {}

  @Get('check')
  @Needs('admin')
  @ApiOperation({ summary: 'Whether the audit log is what was written' })
  @ApiOkResponse({ standardSchema: AuditCheck })
  check(@Query({ schema: CheckAudit }) { head }: CheckAudit): Promise<AuditCheck> {
    return this.log.check(head ?? null);
  }

  @Get()
  @Needs('admin')
  @ApiOperation({ summary: 'Verdicts, tokens and policy changes, newest first' })
  @ApiOkResponse({ standardSchema: AuditList })
  list(@Query({ schema: ListAudit }) query: ListAudit): Promise<AuditList> {
    return this.log.list(query);
  }
}
