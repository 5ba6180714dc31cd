import { Injectable } from '@nestjs/common';
import { Part } from '../part.js';
import { auditApi } from '@aish/contracts/endpoints/server';
import { Serve, type Call } from '../http/serve.js';
import { Controller } from '@nestjs/common';
import { AuditCheck, AuditList, ListAudit } from '@aish/contracts/audit';
import { listAudit } from '@aish/database/audit.repository';
import { checkAudit, sealAudit } from '@aish/database/audit-chain.repository';
import type { Database } from '@aish/database/client';

/** Serves the audit log to admins. */
@Injectable()
export class AuditLog {
  constructor(@Part('db') private readonly db: Database) {}

  async list(query: ListAudit): Promise<AuditList> {
    return { items: await listAudit(this.db.statements, query) };
  }

  /** Checks all entries of the audit log so far. */
  async check(head: string | null): Promise<AuditCheck> {
    await sealAudit(this.db);
    return checkAudit(this.db.statements, head);
  }
}

@Controller()
export class AuditController {
  constructor(private readonly log: AuditLog) {}

  @Serve(auditApi.check)
  check({ query: { head } }: Call<typeof auditApi.check>) {
    return this.log.check(head ?? null);
  }

  @Serve(auditApi.list)
  list({ query }: Call<typeof auditApi.list>) {
    return this.log.list(query);
  }
}
