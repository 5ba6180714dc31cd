// Loaded into every service before its own code (`node --import`): the channel to the launcher closes when the launcher
// dies, also by kill -9, and then the service ends as it would on SIGTERM instead of living on without anybody.
const GRACE_MS = 10_000;

process.once('disconnect', () => {
  setTimeout(() => process.exit(1), GRACE_MS).unref();
  process.kill(process.pid, 'SIGTERM');
});
process.channel?.unref();
