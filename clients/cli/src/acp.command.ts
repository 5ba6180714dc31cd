import { behaviour, option } from './command.js';

export const acp = behaviour({
  options: {
    space: option('name', 'the space that its sessions work in, whose reach they have (default general)'),
    preset: option('name', 'model preset of its sessions'),
  },
  examples: ['aish acp', 'aish acp --space code'],
  run: async ({ options, io, connect, serveEditor }) => {
    await serveEditor(connect().client, io, { space: options.space, preset: options.preset });
  },
});
