import type { NewEvent } from '../event.ts'
import { limits } from '../limits.ts'
import type { Machine, MachineTable } from '../machine.ts'
import { raiseFlags } from '../run/budget.ts'
import { outcomeOfResult } from '../run/outcome.ts'
import type { Result } from '../run/result.ts'
import { isEnded, type Run } from '../run/run.ts'
import { titleOf } from '../run/title.ts'
import { capText, firstLine } from '../text.ts'

/**
 * The events that people can be notified of: a question, a question that one person of a hub is
 * given, a Run that cannot continue without somebody, a Run that has ended. Config `notify.on`.
 */
export const noticeTypes = ['escalation', 'assigned', 'paused', 'ended'] as const

export type NoticeType = (typeof noticeTypes)[number]

/** The text sent from this machine: short and plain. */
export interface Notice {
  /** Equal in every delivery of this notice, and unique to it: `<run>/<message>` for a question. */
  readonly id: string
  readonly type: NoticeType | 'test'
  readonly run: string
  readonly story: string | null
  /** Title of the Run. */
  readonly title: string
  /** The question; for a Run that rests or has ended, its result. */
  readonly question: string
  /** Id of the chat message that a reply answers. */
  readonly message: string | null
  /** The person of the hub whom an `assigned` question is for; other notices have none. */
  readonly person?: string
}

export const notificationStates = ['PENDING', 'DELIVERED', 'DROPPED', 'FAILED'] as const

export type NotificationState = (typeof notificationStates)[number]

export const notificationEvents = ['delivered', 'outdated', 'put_off', 'failed'] as const

export type NotificationEvent = (typeof notificationEvents)[number]

/** The notification machine as data. DROPPED: the content was outdated by the time of delivery. */
export const notificationTable: MachineTable<NotificationState, NotificationEvent> = {
  PENDING: { delivered: 'DELIVERED', outdated: 'DROPPED', put_off: 'PENDING', failed: 'FAILED' },
  DELIVERED: {},
  DROPPED: {},
  FAILED: {},
}

/** One notice on its way through one notifier. */
export type Notification = Machine<
  NotificationState,
  { readonly notifier: string; readonly notice: Notice; readonly tries: number },
  'notification'
>

/**
 * The notice for people about an event of a Run; null for most events. `run` is the Run as the
 * event leaves it.
 */
export function noticeOf(run: Run, { type, story, data }: NewEvent): Notice | null {
  const about = { ...aboutRun(run), story }
  if (type === 'escalation') {
    const message = data.id
    // A round of an interview sends one notice, with its first question.
    const { asked } = run.data.interview
    const place = asked.findIndex((each) => each.message === message)
    if (place > 0) return null
    const others = place === 0 && asked.length > 1 ? ` (the first of ${asked.length} questions)` : ''
    return { id: `${run.id}/${message}`, type, ...about, question: worded(`${data.question}${others}`), message }
  }
  const rest = type === 'result' ? restOf(run, data) : null
  if (rest === null) return null
  // A Run comes to rest at most once per version.
  return {
    id: `${run.id}/${rest.type}-${run.version}`,
    ...about,
    ...rest,
    question: worded(rest.question),
    message: null,
  }
}

interface AssignedQuestion {
  readonly run: Run
  readonly story: string | null
  /** Id of the message that asks. */
  readonly message: string
  readonly question: string
  readonly person: string
  /** Differs for each time that the question is given to somebody. */
  readonly time: number
}

/** The notice for a person of a hub whom a question is given. */
export function noticeOfAssigned({ run, story, message, question, person, time }: AssignedQuestion): Notice {
  return {
    id: `${run.id}/${message}/assigned-${time}`,
    type: 'assigned',
    ...aboutRun(run),
    story,
    question: worded(`For ${person}: ${question}`),
    message,
    person,
  }
}

function aboutRun(run: Run): Pick<Notice, 'run' | 'title'> {
  return { run: run.id, title: capText(plain(firstLine(titleOf(run))), limits.notify.titleChars) }
}

function restOf({ id, state }: Run, result: Result): (Pick<Notice, 'question'> & { type: NoticeType }) | null {
  const { code, sentence } = outcomeOfResult(result)
  if (isEnded(state)) return { type: 'ended', question: `It has ended: ${code}. ${sentence}` }
  if (state === 'ERROR') {
    const { message = '', todo = '' } = result.error ?? {}
    return { type: 'paused', question: `ERROR: ${message}\n${todo}` }
  }
  const { paused = [] } = result
  const bounds = paused.map(({ cap }) => `budget.${cap}`)
  // A person who pauses a Run by hand needs no notice.
  if (state !== 'PAUSED' || bounds.length === 0) return null
  const reached = [...new Set(bounds)].join(', ')
  const question = `PAUSED: ${reached} is reached. Allow more: drydock budget ${id} ${raiseFlags(paused)}`
  return { type: 'paused', question }
}

function worded(text: string): string {
  return capText(plain(text).trim(), limits.notify.questionChars)
}

/**
 * Removes control characters that a terminal would obey or that end an environment variable, and
 * characters that change the order of the text.
 */
function plain(text: string): string {
  return text.replaceAll(/(?![\n\t])\p{Cc}|\p{Bidi_Control}/gu, '')
}
