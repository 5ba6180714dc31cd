import { writeFileSync } from 'node:fs';
import { commandsReference } from './commands.reference.js';

writeFileSync(new URL('../../../../docs/commands.md', import.meta.url), commandsReference());
