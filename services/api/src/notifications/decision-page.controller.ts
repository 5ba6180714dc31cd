import { Body, Controller, Get, HttpCode, Param, Post, Query, Res } from '@nestjs/common';
import { GiveVerdict, type Decision } from '@aish/contracts/decisions';
import type { ChannelName } from '@aish/contracts/escalation';
import { AishError, isAishError } from '@aish/contracts/problems';
import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import { Choice, verdictOf } from '../decisions/choice.js';
import { DecisionsService } from '../decisions/decisions.service.js';
import { Needs } from '../http/needs.decorator.js';
import { PAGE_HEADERS, messagePage } from '../http/page.js';
import { readLink } from './decision-link.js';
import { APPROVE_ELSEWHERE, answered, decisionPage, needsProceed } from './decision.page.js';

const Link = z.string().min(20).max(512);
/** A form has no absent fields, only empty ones. */
const Form = z.object({
  verdict: Choice,
  message: z.string().max(2000).optional(),
});
type Form = z.infer<typeof Form>;
/** The button of the notification that opened this page. Other values are ignored. */
const Chosen = z.object({ verdict: GiveVerdict.shape.verdict.optional().catch(undefined) });
type Chosen = z.infer<typeof Chosen>;

/** Holds the key that signs decision links. */
export class LinkKey {
  constructor(
    readonly bytes: Uint8Array,
    /** The channels whose links may approve an action. */
    readonly mayProceed: readonly ChannelName[],
  ) {}
}

/** Serves the pages behind the links of notifications. The link is the credential for one decision. */
@Controller('d')
export class DecisionPageController {
  constructor(
    private readonly decisions: DecisionsService,
    private readonly key: LinkKey,
  ) {}

  @Get(':link')
  @Needs('nothing')
  async show(
    @Param('link', { schema: Link }) link: string,
    @Query({ schema: Chosen }) { verdict: chosen }: Chosen,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    await this.answer(reply, async () => {
      const { decisionId, channel } = readLink(this.key.bytes, link, new Date());
      const decision = await this.decisions.find(decisionId);
      // The link was for one answer. From now on it allows nothing and shows nothing more.
      if (decision.state !== 'pending') {
        return { status: 200, html: messagePage(`d${decision.number}`, answered(decision)) };
      }
      return { status: 200, html: decisionPage(decision, { mayProceed: this.mayProceed(channel), chosen }) };
    });
  }

  @Post(':link')
  @HttpCode(200)
  @Needs('nothing')
  async decide(
    @Param('link', { schema: Link }) link: string,
    @Body({ schema: Form }) { verdict, message }: Form,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    await this.answer(reply, async () => {
      const { decisionId, channel } = readLink(this.key.bytes, link, new Date());
      const asked = await this.decisions.find(decisionId);
      const given = givenBy(asked, verdict, message?.trim() ?? '');
      if (needsProceed(asked, given.verdict) && !this.mayProceed(channel))
        throw new AishError('forbidden', APPROVE_ELSEWHERE);
      const giver = { name: `link (${channel})`, owner: null, isAdmin: false };
      const decision = await this.decisions.decide(giver, decisionId, given);
      return { status: 200, html: messagePage(`d${decision.number}`, answered(decision)) };
    });
  }

  private mayProceed(channel: ChannelName): boolean {
    return this.key.mayProceed.includes(channel);
  }

  /**
   * Answers a verdict with a page. People get a page for every known outcome, and only unexpected errors reach the
   * general error filter.
   */
  private async answer(
    reply: FastifyReply,
    make: () => Promise<{ readonly status: number; readonly html: string }>,
  ): Promise<void> {
    let made: { readonly status: number; readonly html: string };
    try {
      made = await make();
    } catch (error) {
      if (
        !isAishError(
          error,
          'link_invalid',
          'decision_taken',
          'not_found',
          'invalid_body',
          'forbidden',
          'needs_another_person',
        )
      )
        throw error;
      made = { status: error.status, html: messagePage('decision', error.message) };
    }
    await reply.status(made.status).headers(PAGE_HEADERS).send(made.html);
  }
}

/**
 * Turns the form into a verdict. For a question, the words are the answer. Otherwise they are a message to the model.
 */
function givenBy({ kind }: Decision, chosen: Form['verdict'], words: string): GiveVerdict {
  if (chosen === 'proceed' && kind === 'question') return { verdict: chosen, answer: { answer: words } };
  return { ...verdictOf(chosen), ...(words === '' ? {} : { message: words }) };
}
