import { backoffMs } from '../../domain/backoff.ts'
import { limits } from '../../domain/limits.ts'
import type { Notification } from '../../domain/notification/notice.ts'
import { assignedIn, assigning } from '../../domain/request/assigned-to.ts'
import { isEnded } from '../../domain/run/run.ts'
import { actAfter } from '../../ports/act-after.ts'
import type { Commit } from '../../ports/engine.ts'
import type { Delivery } from '../../ports/notifier.ts'
import type { Records } from '../../ports/store.ts'
import type { WorkflowDependencies } from '../dependencies.ts'
import { load } from '../machines.ts'
import type { StepDependencies } from '../step-dependencies.ts'

/**
 * Delivers notices to people. No Run waits for them: a failed delivery is retried, and finally
 * reported by an event.
 */
export interface Notifications {
  /** Immediately tries the notices that another process has postponed. */
  begin(): Promise<void>
  /** Tries to deliver a PENDING notification once. */
  step(id: string, commit: Commit, signal: AbortSignal): Promise<void>
  /**
   * Before the process ends, perhaps for the very reason that a notice reports, each one is tried
   * once within the time limit of a try.
   */
  end(): Promise<void>
}

export function createNotifications(deps: StepDependencies & Pick<WorkflowDependencies, 'notifying'>): Notifications {
  const { engine, store, clock, notifying } = deps
  const tried = new Set<string>()
  const ending = new AbortController()
  let look = () => {}
  return {
    async begin() {
      const pending = await store.machines({ kind: 'notification', states: ['PENDING'] })
      if (pending.length === 0) return
      await engine.transact(async (tx) => {
        for (const notification of pending) await tx.hasten(notification)
      })
    },
    async step(id, commit, signal) {
      const notification = await load(store, 'notification', id)
      const { notice, notifier: name } = notification.data
      const notifier = notifying.notifiers.find((each) => each.name === name)
      try {
        const holds = notifier !== undefined && (await stillHolds(store, notification))
        const delivery = holds ? await notifier.deliver(notice, AbortSignal.any([signal, ending.signal])) : null
        if (delivery?.ok !== true) signal.throwIfAborted()
        await keep(deps, { notification, delivery }, commit)
      } finally {
        tried.add(id)
        look()
      }
    },
    async end() {
      const told = actAfter(clock, { ms: limits.notify.timeoutMs }, () => {
        ending.abort()
        look()
      })
      for (;;) {
        const { promise, resolve } = Promise.withResolvers<void>()
        look = resolve
        const pending = await store.machines({ kind: 'notification', states: ['PENDING'] })
        if (ending.signal.aborted || pending.every(({ id }) => tried.has(id))) break
        await promise
      }
      told()
    },
  }
}

/**
 * A question that was answered or given to somebody else meanwhile, or a rest that is over, is not
 * delivered.
 */
async function stillHolds(records: Records, { run: id, data: { notice } }: Notification): Promise<boolean> {
  const run = await records.machineOf('run', id)
  // A schedule belongs to no Run.
  if (run === null) return true
  if (notice.type === 'paused') return run.state === 'PAUSED' || run.state === 'ERROR'
  if (notice.type !== 'escalation' && notice.type !== 'assigned') return true
  if (notice.type === 'assigned') {
    const given = assignedIn(await records.recentEvents({ run: id, types: [assigning], limit: 1_000 }))
    if (given.get(notice.message ?? '') !== notice.person) return false
  }
  const replies = await records.chat({ run: id, postType: 'reply' })
  const answered = replies.some(({ agent_id, reply_to }) => agent_id === 'human' && reply_to === notice.message)
  return !answered && !isEnded(run.state) && !run.data.stopped
}

interface DeliveryAttempt {
  readonly notification: Notification
  /** Null if the notice no longer needed delivery. */
  readonly delivery: Delivery | null
}

async function keep(
  { clock }: Pick<WorkflowDependencies, 'clock'>,
  { notification, delivery }: DeliveryAttempt,
  commit: Commit,
): Promise<void> {
  const { run, story, data } = notification
  const tries = data.tries + (delivery === null ? 0 : 1)
  await commit(async (tx) => {
    if (delivery === null || delivery.ok) {
      const event = delivery === null ? 'outdated' : 'delivered'
      await tx.move(notification, event, { data: { tries }, next: 'rest' })
    } else if (delivery.retryable && tries < limits.notify.tries) {
      const pauseMs = backoffMs(limits.notify, tries, clock.random())
      await tx.move(notification, 'put_off', { data: { tries }, next: new Date(clock.now().getTime() + pauseMs) })
    } else {
      await tx.move(notification, 'failed', { data: { tries }, next: 'rest' })
      const { id, type, message } = data.notice
      const failed = { id, about: type, message, notifier: data.notifier, error: delivery.error, tries }
      await tx.appendEvent({ run, story, type: 'notification_failed', data: failed })
    }
  })
}
