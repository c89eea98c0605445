import { useEffect } from 'react'
import type { Event } from '../../src/api/events.ts'
import { markedText } from '../../src/domain/hidden-characters.ts'
import { href } from '../router.ts'

/**
 * How many questions wait, where it is seen with the page in the background; and what the page
 * shows, the most telling first.
 */
export function useTitle(waiting: number, parts: readonly string[] = []): void {
  const title = [...parts, 'Drydock'].join(' · ')
  useEffect(() => {
    document.title = markedText(waiting === 0 ? title : `(${waiting}) ${title}`)
  }, [waiting, title])
}

/**
 * A notification of the browser for each new question, when the person allows them. Only what
 * happens while the page is open comes here.
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

/** Whether the person can still be asked. */
export function canAsk(): boolean {
  return 'Notification' in window && Notification.permission === 'default'
}
