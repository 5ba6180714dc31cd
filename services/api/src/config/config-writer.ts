import { Injectable } from '@nestjs/common';
import type { WantedChange } from '@aish/contracts/config-changes';
import type { Tx } from '@aish/database/tx';
import { AccessWriter } from './access.writer.js';
import { AutomationWriter } from './automation.writer.js';
import type { WriteOptions, Written } from './written.js';

/** Writes one change of the configuration in a transaction. */
@Injectable()
export class ConfigWriter {
  constructor(
    readonly access: AccessWriter,
    private readonly automation: AutomationWriter,
  ) {}

  /** @throws AishError as the command for such a change */
  write(tx: Tx, wanted: WantedChange, options: WriteOptions): Promise<Written> {
    const { access, automation } = this;
    switch (wanted.kind) {
      case 'secret': {
        return access.writeSecret(tx, wanted, options);
      }
      case 'host': {
        return access.writeHost(tx, wanted, options);
      }
      case 'image': {
        return access.writeImage(tx, wanted, options);
      }
      case 'space': {
        return access.writeSpace(tx, wanted, options);
      }
      case 'event source': {
        return automation.writeSource(tx, wanted, options);
      }
      case 'event rule': {
        return automation.writeRule(tx, wanted, options);
      }
      case 'schedule': {
        return automation.writeSchedule(tx, wanted, options);
      }
      case 'brief': {
        return automation.writeBrief(tx, wanted, options);
      }
    }
  }
}
