import type { EventData } from '../../domain/event.ts'
import { type Notice, type NoticeType, noticeOf, noticeOfAssigned } from '../../domain/notification/notice.ts'
import type { Run } from '../../domain/run/run.ts'
import type { Notifier } from '../../ports/notifier.ts'
import type { Transaction } from '../../ports/store.ts'
import type { Decoration } from '../decorate.ts'

export interface Notifying {
  readonly notifiers: readonly Notifier[]
  readonly on: readonly NoticeType[]
}

/**
 * Queues the notifications of an event in the event's own transaction, so that neither exists
 * without the other.
 */
export function withNotices(notifying: Notifying): Decoration {
  return (tx) => ({
    own: {
      async appendEvent(event) {
        await tx.appendEvent(event)
        await queue(tx, notifying, event)
      },
    },
  })
}

async function queue(
  tx: Transaction,
  notifying: Notifying,
  event: Parameters<Transaction['appendEvent']>[0],
): Promise<void> {
  if (event.type !== 'escalation' && event.type !== 'result' && event.type !== 'escalation_assigned') return
  const run = await tx.machineOf('run', event.run)
  // A command that could not be applied has a result, but no Run.
  if (run === null) return
  const notice = event.type === 'escalation_assigned' ? await assigned(tx, run, event.data) : noticeOf(run, event)
  if (notice !== null) await queueNotice(tx, notifying, notice)
}

/** Null where the question is for everybody again, who were told when it was asked. */
async function assigned(
  tx: Transaction,
  run: Run,
  { id, to }: EventData['escalation_assigned'],
): Promise<Notice | null> {
  const asked = to === null ? null : await tx.chatMessage(id)
  if (to === null || asked === null) return null
  return noticeOfAssigned({
    run,
    story: asked.story,
    message: id,
    question: asked.content.split('\n\n')[0] ?? '',
    person: to,
    time: await tx.lastEvent(),
  })
}

/** Queues a notice once for each hook that wants its type; repeated calls add nothing. */
export async function queueNotice(tx: Transaction, { notifiers, on }: Notifying, notice: Notice): Promise<void> {
  if (!on.some((type) => type === notice.type)) return
  for (const { name } of notifiers) {
    const data = { notifier: name, notice, tries: 0 }
    const id = `notification/${notice.id}/${name}`
    // A result that is appended again, for example after findings are accepted, is not a new rest.
    if ((await tx.machine(id)) !== null) continue
    const { run, story } = notice
    await tx.create({ id, kind: 'notification', run, story, data }, 'queue')
  }
}
