import { randomUUID } from 'node:crypto';
import { parseConfig } from '@aish/contracts/config/parse-config';
import { SandboxConfig } from '@aish/contracts/config/sandbox.config';
import { describe, expect, it } from '@jest/globals';
import { containerSpec } from './container-spec.js';
import { newToken } from './launcher.js';

const env = { SANDBOX_TOKEN: 't'.repeat(16), SANDBOX_STATE_DIR: '/state', RUN_CPUS: '0.5', RUN_MEMORY_MB: '256' };
const config = parseConfig(SandboxConfig, env, () => '');

describe('containerSpec', () => {
  const run = {
    runId: randomUUID(),
    workspaceId: randomUUID(),
    token: newToken(),
    deadline: new Date(0),
  };
  const spec = containerSpec(run, config);

  it('a container has only HOME and LANG in its environment, and no token that a command can read', () => {
    const [shell, flag, choose, launcher, ...rest] = spec.Cmd ?? [];
    expect([shell, flag, rest]).toEqual(['bash', '-c', []]);
    expect(choose).toContain('/usr/local/lib/aish/bash');
    expect(launcher).toContain('exec -a bash "$0" -c "$1"');
    expect(spec.Env).toEqual(['HOME=/workspace', 'LANG=C.UTF-8']);
    const { Labels: _, ...seen } = spec;
    expect(JSON.stringify(seen)).not.toContain(run.token);
    expect(JSON.stringify(spec)).not.toContain(config.SANDBOX_TOKEN);
  });

  it('the labels of a container contain everything that a restarted service needs to take over the run', () => {
    expect(spec.name).toBe(`aish-run-default-${run.runId}`);
    expect(spec.Labels).toEqual({
      'dev.aish.instance': 'default',
      'dev.aish.run': run.runId,
      'dev.aish.workspace': run.workspaceId,
      'dev.aish.deadline': '1970-01-01T00:00:00.000Z',
      'dev.aish.token': run.token,
      'dev.aish.warm': run.runId,
    });
    expect(spec.HostConfig).toMatchObject({ AutoRemove: false, LogConfig: { Type: 'json-file' } });
  });

  it('a background command gets a smaller CPU share', () => {
    expect(spec.HostConfig?.CpuShares).toBeUndefined();
    expect(containerSpec({ ...run, background: true }, config).HostConfig?.CpuShares).toBe(128);
  });

  it('a command with access to hosts has ANSIBLE_SSH_USETTY=False in its environment', () => {
    const { Env } = containerSpec({ ...run, hosts: { hostDir: '/hosts' } }, config);
    expect(Env).toContain('ANSIBLE_SSH_USETTY=False');
  });

  it('a container has limited resources, and is created without capabilities, devices or network', () => {
    expect(spec).toMatchObject({ User: '1000:1000', Tty: false, OpenStdin: true, StdinOnce: true });
    expect(spec.HostConfig).toMatchObject({
      NetworkMode: 'none',
      ReadonlyRootfs: true,
      Privileged: false,
      CapDrop: ['ALL'],
      SecurityOpt: ['no-new-privileges:true'],
      Memory: 256 * 2 ** 20,
      MemorySwap: 256 * 2 ** 20,
      NanoCpus: 500_000_000,
      PidsLimit: 256,
      Init: false,
    });
    for (const opening of ['Binds', 'CapAdd', 'Devices', 'PidMode', 'IpcMode', 'UsernsMode', 'VolumesFrom']) {
      expect(spec.HostConfig).not.toHaveProperty(opening);
    }
    expect(spec.HostConfig?.Mounts).toMatchObject([
      { Type: 'volume', Source: `aish-ws-default-${run.workspaceId}`, Target: '/workspace' },
    ]);
  });
});
