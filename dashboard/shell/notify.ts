import { useEffect } from 'react'
import type { Escalation } from '../../src/api/chat.ts'
import type { Event } from '../../src/api/events.ts'
import { markedText } from '../../src/domain/hidden-characters.ts'
import { currentActor } from '../data/session.ts'
import { whom } from '../parts/waits-for-answer.ts'
import { href } from '../router.ts'

/**
 * Shows the number of waiting questions in the title, where it is visible in the background, and
 * the content of the page, the most specific part first.
 */
export function useTitle(waiting: number, parts: readonly string[] = []): void {
  const title = [...parts, 'Drydock'].join(' · ')
  useEffect(() => {
    document.title = markedText(waiting === 0 ? title : `(${waiting}) ${title}`)
  }, [waiting, title])
}

/**
 * A browser notification for each new question, and for one that somebody gives to this person, if
 * the person permits it. It only works while the page is open. `open` are the questions that wait.
 */
export function notifyOf({ type, run, data, actor }: Event, open: readonly Escalation[]): void {
  if (!mayNotify()) return
  if (type === 'escalation') notify(`Drydock asks ${whom()}`, { body: data.question, tag: data.id, run })
  const me = currentActor()?.name
  if (type !== 'escalation_assigned' || me === undefined || data.to !== me || actor === me) return
  const asked = open.find(({ id }) => id === data.id)
  const title = `${actor ?? 'Somebody'} gives you a question`
  // A notification with the tag of the first one would take its place in silence.
  notify(title, { body: asked?.question ?? `Message ${data.id} of ${run}`, tag: `${data.id}-for-you`, run })
}

interface NotificationText {
  readonly body: string
  readonly tag: string
  readonly run: string
}

function notify(title: string, { body, tag, run }: NotificationText): void {
  const shown = new Notification(markedText(title), { body: markedText(body), tag: `drydock-${tag}` })
  shown.onclick = () => {
    window.focus()
    window.location.hash = href('runs', run, 'chat')
  }
}

export function mayNotify(): boolean {
  return 'Notification' in window && Notification.permission === 'granted'
}

/** True if the person has not decided about notifications yet. */
export function canAsk(): boolean {
  return 'Notification' in window && Notification.permission === 'default'
}
