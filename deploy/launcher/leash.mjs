// This module is loaded into every service before its own code (`node --import`). The channel to the launcher closes
// when the launcher dies, even by kill -9. Then the service ends as on SIGTERM, instead of running on without the
// launcher.
const GRACE_MS = 10_000;

process.once('disconnect', () => {
  setTimeout(() => process.exit(1), GRACE_MS).unref();
  process.kill(process.pid, 'SIGTERM');
});
process.channel?.unref();
