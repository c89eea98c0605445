import { useEffect } from 'react'
import type { Escalation } from '../../src/api/chat.ts'
import { href, parseRoute } from '../router.ts'
import { addressOf, places, placesOfRun } from './places.ts'

interface Actions {
  readonly help: () => void
  /** Opens or closes the palette. */
  readonly palette: () => void
  /** The question that has waited longest. */
  readonly question: Escalation | null
}

/** Milliseconds after g in which a letter chooses the page. */
const goMs = 1_500

/**
 * j and k move through the items of a page, Enter opens one (they are links), r goes to the reply
 * box, / to the filter, g and a letter to a page, ? shows help. Ctrl K opens the palette, even
 * during typing.
 */
export function useKeys({ help, palette, question }: Actions): void {
  useEffect(() => {
    let goSince = Number.NEGATIVE_INFINITY
    const pressed = (event: KeyboardEvent) => {
      if ((event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey && event.key.toLowerCase() === 'k') {
        event.preventDefault()
        if (!event.repeat) palette()
        return
      }
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return
      if (document.querySelector('dialog[open]')) return
      const goes = event.timeStamp - goSince < goMs
      goSince = Number.NEGATIVE_INFINITY
      if (goes && go(event.key)) return event.preventDefault()
      if (event.key === 'g') goSince = event.timeStamp
      else if (event.key === 'j') walk(1)
      else if (event.key === 'k') walk(-1)
      else if (event.key === 'r') reply(question)
      else if (event.key === '/') document.querySelector<HTMLElement>('[data-filter]')?.focus()
      else if (event.key === '?') help()
      else return
      event.preventDefault()
    }
    window.addEventListener('keydown', pressed)
    return () => window.removeEventListener('keydown', pressed)
  }, [help, palette, question])
}

/** Goes to the page of a letter; pages of the current Run take precedence. */
function go(key: string): boolean {
  const [first, run] = parseRoute(window.location.hash).path
  const ofRun =
    first === 'runs' && run !== undefined ? placesOfRun(undefined).find((place) => place.key === key) : undefined
  const place = ofRun ?? places().find((each) => each.key === key)
  if (place === undefined) return false
  window.location.hash = addressOf(place, ofRun && run)
  return true
}

export function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.closest('input, textarea, select, [contenteditable]') !== null
}

/** Items carry `data-item`; long lists render hidden ones as the focus comes near. */
function walk(step: 1 | -1): void {
  const items = [...document.querySelectorAll<HTMLElement>('[data-item]')]
  const at = items.indexOf(document.activeElement as HTMLElement)
  const next = items[at === -1 ? (step === 1 ? 0 : items.length - 1) : at + step]
  next?.focus()
  next?.scrollIntoView({ block: 'nearest' })
}

function reply(question: Escalation | null): void {
  const box = document.querySelector<HTMLElement>('[data-reply]')
  if (box) box.focus()
  else if (question) window.location.hash = href('questions')
}
