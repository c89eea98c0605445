import { limits } from '../../domain/limits.ts'
import type { Request } from '../../domain/request/request.ts'
import type { Run } from '../../domain/run/run.ts'
import type { Story } from '../../domain/story/story.ts'
import { capText } from '../../domain/text.ts'
import type { Transaction } from '../../ports/store.ts'

/** One question for a human, with its evidence. */
export interface Question {
  readonly question: string
  /** The reason why a story has ended; shown before the rest of the evidence. */
  readonly why?: string
  /** The attempts before the question. */
  readonly tried: string
  readonly evidence: string
  /**
   * Ids of the findings that the question is about; a human may accept these instead of answering.
   */
  readonly findings?: readonly string[]
  /** Set if Drydock itself asks, and no agent. */
  readonly agent?: 'drydock'
}

interface Asking extends Omit<Question, 'agent'> {
  readonly agent: 'architect' | 'editor' | 'drydock'
}

/**
 * Posts an escalation, and returns the id of its message; the asker waits for a reply without a
 * job.
 */
export async function askHuman(
  tx: Transaction,
  { id, kind, run, story }: Run | Story | Request,
  { agent, question, why = '', tried, evidence, findings = [] }: Asking,
): Promise<string> {
  const restsOn = [why, tried && `Tried: ${tried}`, evidence && `Evidence:\n${evidence}`].filter(Boolean).join('\n\n')
  const most = limits.chatChars - limits.cutNotice
  const message = await tx.postMessage({
    agent_id: agent,
    content: capText([question, restsOn].filter(Boolean).join('\n\n'), most),
    reply_to: null,
    post_type: 'escalate',
    run,
    story,
    asker: { kind, machine: id },
  })
  const about = findings.length > 0 && { findings }
  const data = { id: message.id, question, evidence: capText(restsOn, most), ...about }
  await tx.appendEvent({ run, story, type: 'escalation', data })
  return message.id
}
