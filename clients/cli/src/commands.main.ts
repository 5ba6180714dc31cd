import { writeFileSync } from 'node:fs';
import { tuiReference } from '@aish/tui/tui.reference';
import { commandsReference } from './commands.reference.js';

writeFileSync(new URL('../../../docs/commands.md', import.meta.url), commandsReference(tuiReference()));
