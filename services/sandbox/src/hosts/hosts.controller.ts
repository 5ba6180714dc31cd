import { HostAnswer, HostSignIn, ScanHost, type HostTrial, type ScannedHost } from '@aish/contracts/hosts';
import { AishError } from '@aish/contracts/problems';
import { Body, Controller, HttpCode, Param, Post } from '@nestjs/common';
import { z } from 'zod';
import { SshBridge } from './ssh.bridge.js';
import { openSsh, scanKeys } from './openssh.js';

const Id = z.uuid().toLowerCase();
const TRIAL_MS = 20_000;
/** This is large enough for the package list of a large host. */
const OUTPUT_MAX_CHARS = 1_048_576;

@Controller('v1')
export class HostsController {
  constructor(private readonly bridge: SshBridge) {}

  /** Answers a question of a run. */
  @Post('runs/:runId/hosts/:id')
  @HttpCode(204)
  answer(
    @Param('runId', { schema: Id }) runId: string,
    @Param('id', { schema: Id }) id: string,
    @Body({ schema: HostAnswer }) answer: HostAnswer,
  ): void {
    if (!this.bridge.answer(runId, id, answer)) throw new AishError('not_found', 'Nothing is waiting for this answer');
  }

  @Post('hosts/scan')
  @HttpCode(200)
  async scan(
    @Body({ schema: ScanHost }) { address, port }: z.infer<typeof ScanHost>,
  ): Promise<z.infer<typeof ScannedHost>> {
    return { keys: [...(await scanKeys(address, port))] };
  }

  /** The api calls this when a person adds a host. */
  @Post('hosts/try')
  @HttpCode(200)
  async try(@Body({ schema: HostSignIn }) signIn: HostSignIn): Promise<HostTrial> {
    const { child, ended } = await openSsh(signIn);
    const timer = setTimeout(() => child.kill('SIGKILL'), signIn.limitMs ?? TRIAL_MS);
    child.stdin.end();
    child.stderr.resume();
    let output = '';
    child.stdout.setEncoding('utf8');
    child.stdout.on('data', (text: string) => {
      output += text;
      if (output.length > OUTPUT_MAX_CHARS) child.kill('SIGKILL');
    });
    const end = await ended.finally(() => clearTimeout(timer));
    return { output: output.slice(0, OUTPUT_MAX_CHARS), ...end };
  }
}
