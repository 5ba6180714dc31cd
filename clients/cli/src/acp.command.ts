import { behaviour, option } from './command.js';

export const acp = behaviour({
  options: {
    space: option('name', 'space that gives its sessions their access (default: general)'),
    preset: option('name', 'model preset for its sessions'),
  },
  examples: ['aish acp', 'aish acp --space code'],
  run: async ({ options, io, connect, serveEditor }) => {
    await serveEditor(connect().client, io, { space: options.space, preset: options.preset });
  },
});
