import { useEffect } from 'react'
import type { Event } from '../../src/api/events.ts'
import { markedText } from '../../src/domain/hidden-characters.ts'
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
 * A browser notification for each new question, if the person permits it. It only works while the
 * page is open.
 */
export function notifyOf({ type, run, data }: Event): void {
  if (type !== 'escalation' || !mayNotify()) return
  const shown = new Notification('Drydock asks you', { body: markedText(data.question), tag: `drydock-${data.id}` })
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
